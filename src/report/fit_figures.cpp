#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "explain/quantity_text.h"
#include "report/axis.h"
#include "report/curve_places.h"
#include "report/figures.h"

namespace covary {
namespace {

constexpr std::size_t max_points = 3000;

struct Range {
  double low = 0.0;
  double high = 0.0;
};

Range range_of(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return {*low, *high};
}

// The target's axis: all data and all of the fit, and of the forecast's widest band no more than
// one range of the data on either side, so that the data do not shrink to a line.
FigureAxis fit_axis(const Figure& figure, const Scaling& scaling, const std::vector<double>& y) {
  const Range data = range_of(y);
  const double room = data.high > data.low ? data.high - data.low : 1.0;
  std::vector<double> seen = y;
  for (const auto* values : {&figure.bands[0].lower, &figure.bands[0].upper}) {
    for (const double value : *values) {
      seen.push_back(std::clamp(value, data.low - room, data.high + room));
    }
  }
  return axis_of(scaling, seen, 0.03);
}

// A few places for each row, and as many as the model has cycles; where it ripples between the
// rows, these alone and the data's own steps ahead.
CurvePlaces fit_places(const Ensemble& model, const Explanation& explanation, const Range& range,
                       double end_of_forecast, Prediction& prediction) {
  const std::vector<double> values = different_values(raw_input(model.data(), 0));
  const std::size_t wanted = std::clamp<std::size_t>(3 * model.data().num_rows(), 300, 800);
  const double cycle = shortest_cycle(explanation, 0);
  CurvePlaces places(range.low, range.high, wanted, cycle);
  places.go_on_to(end_of_forecast);
  const bool is_hidden = outruns(values, cycle);
  if (!is_hidden) prediction = model.predict({places.computed()});
  if (is_hidden ||
      (!places.is_range() && ripples_between(values, places.drawn(), prediction.mean))) {
    std::vector<double> at_steps = values;
    const std::vector<double> ahead = places_ahead(model.data(), end_of_forecast, wanted);
    at_steps.insert(at_steps.end(), ahead.begin(), ahead.end());
    places = CurvePlaces(std::move(at_steps));
    prediction = model.predict({places.computed()});
  }
  return places;
}

Figure fit_over_input(const Ensemble& model, const Explanation& explanation,
                      double end_of_forecast) {
  const Dataset& data = model.data();
  const std::vector<double> x = raw_input(data, 0);
  const std::vector<double> y = raw_target(data);
  const Range range = range_of(x);

  Figure figure{.id = "fit", .title = "The data, the fit and the forecast"};
  Prediction prediction;
  const CurvePlaces places = fit_places(model, explanation, range, end_of_forecast, prediction);
  Prediction::Interval wide = prediction.interval(0.95);
  Prediction::Interval narrow = prediction.interval(0.5);
  draw_curve(places, prediction.mean, {"95 %", std::move(wide.lower), std::move(wide.upper)},
             {"50 %", std::move(narrow.lower), std::move(narrow.upper)}, figure);
  figure.far = spans_without_rows(different_values(x), x.size());
  const std::vector<std::size_t> rows = thinned_rows(x.size(), max_points);
  figure.points = {{"data", at_rows(x, rows), at_rows(y, rows)}};
  figure.data_end = range.high;
  figure.x = axis_of(data.input_scaling(0), figure.grid, 0.01);
  figure.y = fit_axis(figure, data.target_scaling(), y);
  const auto value = [&](double number) { return number_text(number); };
  const std::string end = format_value(figure.x.type, figure.grid.back());
  figure.alt = fmt::format(
      "{} over {}: {} rows from {} to {}, the mean of the model and its 50 % and 95 % intervals, "
      "and a forecast up to {}, where the mean is {} and the 95 % interval {} to {}.",
      figure.y.label, figure.x.label, x.size(), format_value(figure.x.type, range.low),
      format_value(figure.x.type, range.high), end, value(prediction.mean.back()),
      value(figure.bands[0].lower.back()), value(figure.bands[0].upper.back()));
  return figure;
}

Figure observed_over_predicted(const Explanation& explanation) {
  const FittedModel& model = explanation.decomposition.model();
  const Dataset& data = model.data();
  const std::vector<double> observed = raw_target(data);
  const std::vector<double> predicted = model.leave_one_out_mean();
  std::vector<double> all = observed;
  all.insert(all.end(), predicted.begin(), predicted.end());

  Figure figure{.id = "fit", .title = "Observed and predicted"};
  figure.x = axis_of(data.target_scaling(), all, 0.03);
  figure.y = figure.x;
  figure.x.label = fmt::format("{}, predicted from the other rows", data.target_scaling().name);
  figure.y.label = fmt::format("{}, observed", data.target_scaling().name);
  figure.grid = {figure.x.low, figure.x.high};
  figure.lines = {{"observed as predicted", figure.grid, Figure::Stroke::reference}};
  const std::vector<std::size_t> rows = thinned_rows(observed.size(), max_points);
  figure.points = {{"rows", at_rows(predicted, rows), at_rows(observed, rows)}};
  figure.alt = fmt::format(
      "Each of {} rows: its {} over what the model predicts for it from all the other rows. On the "
      "diagonal both are the same; the mean distance from it is {}.",
      observed.size(), data.target_scaling().name,
      amount_text(explanation.transform, explanation.leave_one_out_error));
  return figure;
}

}  // namespace

double forecast_end(const Dataset& data, const std::optional<ReportedForecast>& outlook) {
  if (outlook) return outlook->forecast.times.back();
  if (!data.is_curve()) return 0.0;
  const Range range = range_of(raw_input(data, 0));
  return range.high + forecast_share * (range.high - range.low);
}

Figure fit_figure(const Ensemble& model, const Explanation& explanation, double end) {
  return model.data().is_curve() ? fit_over_input(model, explanation, end)
                                 : observed_over_predicted(explanation);
}

std::vector<ForecastRow> forecast_rows(const Ensemble& model) {
  if (!model.data().is_curve()) return {};
  constexpr std::size_t most_rows = 12;
  const Range range = range_of(raw_input(model.data(), 0));
  const std::vector<double> places =
      places_ahead(model.data(), range.high + forecast_share * (range.high - range.low), most_rows);
  const Prediction prediction = model.predict({places});
  const Prediction::Interval wide = prediction.interval(0.95);
  const Prediction::Interval narrow = prediction.interval(0.5);
  std::vector<ForecastRow> rows;
  for (std::size_t i = 0; i < places.size(); ++i) {
    rows.push_back({places[i], prediction.mean[i], narrow.lower[i], narrow.upper[i], wide.lower[i],
                    wide.upper[i]});
  }
  return rows;
}

}  // namespace covary
