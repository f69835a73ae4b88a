#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/forecast.h>
#include <covary/message_text.h>
#include <covary/overflow.h>

namespace covary {
namespace {

void check_level(double level) {
  if (level > 0.0 && level < 100.0) return;
  throw Error(ErrorKind::usage,
              fmt::format("levels must be between 0 and 100 %, not {}", shown_number(level)));
}

Prediction predicted(const Ensemble& model, const std::vector<double>& times) {
  try {
    return model.predict({times});
  } catch (const PredictionOverflow& error) {
    throw Error(error.kind(),
                fmt::format("step {} of the forecast, {}", error.point() + 1, error.sentence()));
  }
}

}  // namespace

TimeStep time_step_of(const Dataset& data, const std::string& source) {
  if (!data.is_curve()) {
    throw Error(ErrorKind::bad_data,
                fmt::format("{}a forecast needs one input, the time; there are {}",
                            source.empty() ? "" : shown_source(source) + ": ",
                            name_list(data.input_names())));
  }
  const Scaling& time = data.input_scaling(0);
  return time_step_of(raw_input(data, 0), time,
                      fmt::format("{}column {}", source.empty() ? "" : shown_source(source) + ": ",
                                  quoted(time.name)));
}

Forecast forecast(const Ensemble& model, std::size_t horizon, const std::vector<double>& levels) {
  for (const double level : levels) check_level(level);
  const Dataset& data = model.data();
  const TimeStep step = time_step_of(data, "");
  const std::vector<double> times = raw_input(data, 0);
  const double last = *std::max_element(times.begin(), times.end());
  Forecast result;
  result.time_name = data.input_scaling(0).name;
  result.time_type = data.input_scaling(0).type;
  result.date_format = data.input_scaling(0).date_format;
  result.target_name = data.target_scaling().name;
  for (std::size_t i = 1; i <= horizon; ++i) {
    result.times.push_back(step.later(last, static_cast<std::int64_t>(i)));
  }
  const Prediction prediction = predicted(model, result.times);
  result.mean = prediction.mean;
  result.median = prediction.quantile(0.5);
  result.sd = prediction.sd;
  for (const double level : levels) {
    Prediction::Interval interval = prediction.interval(level / 100.0);
    result.bands.push_back({level, std::move(interval.lower), std::move(interval.upper)});
  }
  return result;
}

std::string Forecast::time_text(std::size_t i) const {
  return covary::time_text(time_type, times[i], date_format);
}

std::string band_name(std::string_view side, double level) {
  return fmt::format("{}_{}", side, shown_number(level));
}

std::string csv_header(const Forecast& forecast, const std::optional<FirstColumn>& first) {
  std::string header = first ? fmt::format("{},", csv_cell(first->name)) : "";
  header += fmt::format("{},mean,median,sd", csv_cell(forecast.time_name));
  for (const Forecast::Band& band : forecast.bands) {
    header += fmt::format(",{},{}", band_name("lower", band.level), band_name("upper", band.level));
  }
  return header + "\n";
}

std::string csv_lines(const Forecast& forecast, const std::optional<FirstColumn>& first) {
  std::string lines;
  for (std::size_t i = 0; i < forecast.size(); ++i) {
    if (first) lines += fmt::format("{},", csv_cell(first->value));
    lines += fmt::format("{},{},{},{}", forecast.time_text(i), forecast.mean[i], forecast.median[i],
                         forecast.sd[i]);
    for (const Forecast::Band& band : forecast.bands) {
      lines += fmt::format(",{},{}", band.lower[i], band.upper[i]);
    }
    lines += "\n";
  }
  return lines;
}

}  // namespace covary
