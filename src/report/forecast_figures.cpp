// What a run that was made for a forecast shows of it: the fan, how such forecasts have been, and
// whether their intervals can be relied on.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <covary/message_text.h>

#include "explain/component_algebra.h"
#include "explain/quantity_text.h"
#include "report/axis.h"
#include "report/figures.h"

namespace covary {
namespace {

constexpr std::size_t max_bands = 2;  // more cannot be told apart

std::string level_text(double level) { return fmt::format("{} %", shown_number(level)); }

// The last rows before a time, in order: a few times what is forecast, so that one sees how it goes
// on.
Figure::Points rows_before(const Dataset& data, double time, std::size_t horizon) {
  const std::vector<double> x = raw_input(data, 0);
  const std::vector<double> y = raw_target(data);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] <= time) rows.push_back(i);
  }
  std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  const std::size_t count = std::min(rows.size(), std::clamp<std::size_t>(4 * horizon, 24, 1000));
  rows.erase(rows.begin(), rows.end() - static_cast<std::ptrdiff_t>(count));
  return {"data", at_rows(x, rows), at_rows(y, rows)};
}

// Axes over all that is seen.
void set_axes(Figure& figure, const Dataset& data) {
  std::vector<double> x = figure.grid;
  std::vector<double> y;
  const auto add = [](std::vector<double>& all, const std::vector<double>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  for (const Figure::Points& points : figure.points) {
    add(x, points.x);
    add(y, points.y);
  }
  for (const Figure::Band& band : figure.bands) {
    add(y, band.lower);
    add(y, band.upper);
  }
  for (const Figure::Line& line : figure.lines) add(y, line.y);
  figure.x = axis_of(data.input_scaling(0), x, 0.01);
  figure.y = axis_of(data.target_scaling(), y, 0.04);
}

Figure fan_figure(const Ensemble& model, const Forecast& forecast) {
  const Dataset& data = model.data();
  const std::vector<double> known = raw_input(data, 0);
  const double last = *std::max_element(known.begin(), known.end());
  Figure figure{.id = "fan", .title = "What comes next"};
  figure.grid = {last};  // from the last row on, so that nothing hangs in the air
  figure.grid.insert(figure.grid.end(), forecast.times.begin(), forecast.times.end());
  const Prediction prediction = model.predict({figure.grid});
  std::vector<double> levels;
  for (const Forecast::Band& band : forecast.bands) levels.push_back(band.level);
  std::sort(levels.rbegin(), levels.rend());
  if (levels.size() > max_bands) levels.resize(max_bands);
  for (const double level : levels) {
    Prediction::Interval interval = prediction.interval(level / 100.0);
    figure.bands.push_back(
        {level_text(level), std::move(interval.lower), std::move(interval.upper)});
  }
  figure.lines = {{"median", prediction.quantile(0.5)}};
  figure.points = {rows_before(data, last, forecast.size())};
  figure.data_end = last;
  set_axes(figure, data);
  figure.alt = fmt::format(
      "{} over {}: the last {} rows and a forecast of {} steps up to {}, where the median is {} "
      "and "
      "the {} interval {} to {}.",
      figure.y.label, figure.x.label, figure.points[0].x.size(), forecast.size(),
      forecast.time_text(forecast.size() - 1), number_text(figure.lines[0].y.back()),
      figure.bands[0].label, number_text(figure.bands[0].lower.back()),
      number_text(figure.bands[0].upper.back()));
  return figure;
}

// 1 less the squared error of the medians over the squared distance from the mean of what came.
std::optional<double> r2_of(const Backtest& backtest) {
  std::vector<double> actual;
  double error = 0.0;
  for (const BacktestOrigin& origin : backtest.origins) {
    for (std::size_t i = 0; i < origin.actual.size(); ++i) {
      const double miss = origin.actual[i] - origin.median[i];
      error += miss * miss;
      actual.push_back(origin.actual[i]);
    }
  }
  const double whole = variance_of(actual) * static_cast<double>(actual.size());
  return whole > 0.0 ? std::optional(1.0 - error / whole) : std::nullopt;
}

Figure past_figure(const Dataset& data, const Backtest& backtest) {
  Figure figure{.id = "backtest", .title = "Forecasts of the past, and what came"};
  figure.bands = {{level_text(95.0), {}, {}}, {level_text(80.0), {}, {}}};
  Figure::Line median{"median", {}};
  Figure::Points came{"what came", {}, {}};
  const auto add = [](std::vector<double>& all, const std::vector<double>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  for (const BacktestOrigin& origin : backtest.origins) {
    add(figure.grid, origin.times);
    add(figure.bands[0].lower, origin.lower_95);
    add(figure.bands[0].upper, origin.upper_95);
    add(figure.bands[1].lower, origin.lower_80);
    add(figure.bands[1].upper, origin.upper_80);
    add(median.y, origin.median);
    add(came.x, origin.times);
    add(came.y, origin.actual);
  }
  figure.lines = {std::move(median)};
  Figure::Points before = rows_before(data, backtest.origins.front().origin, came.x.size() / 2 + 1);
  add(before.x, came.x);
  add(before.y, came.y);
  figure.points = {std::move(before)};
  set_axes(figure, data);
  figure.alt = fmt::format(
      "{} over {}: what was forecast from {} origins in the past, each from the rows before it "
      "alone, and what came: {} of {} rows are inside the 95 % intervals, {} inside those of 80 %.",
      figure.y.label, figure.x.label, backtest.origins.size(),
      percent_text(backtest.model.coverage_95), backtest.model.num_rows,
      percent_text(backtest.model.coverage_80));
  return figure;
}

Figure reliability_figure(const Backtest& backtest) {
  Figure figure{.id = "reliability", .title = "Can the intervals be relied on?"};
  figure.x = {"level of the interval, %", ColumnType::number, 0.0, 100.0};
  figure.y = {"inside of it, % of rows", ColumnType::number, 0.0, 102.0};
  Figure::Line model{"model", {0.0}};
  Figure::Line naive{"seasonal naive", {0.0}, Figure::Stroke::second};
  figure.grid = {0.0};
  for (const Reliability& one : backtest.reliability) {
    figure.grid.push_back(one.level);
    model.y.push_back(100.0 * one.inside);
    naive.y.push_back(100.0 * one.naive_inside);
  }
  figure.lines = {{"as it should be", figure.grid, Figure::Stroke::reference},
                  std::move(model),
                  std::move(naive)};
  figure.alt = fmt::format(
      "How many of {} rows were inside of the intervals of each level; on the diagonal as many as "
      "should be. Of the 80 % intervals of the model: {}; of the seasonal naive forecast: {}.",
      backtest.model.num_rows, percent_text(backtest.model.coverage_80),
      percent_text(backtest.naive.coverage_80));
  return figure;
}

}  // namespace

ReportedForecast reported_forecast(const Ensemble& model, const RunForecast& asked) {
  ReportedForecast reported{.step = time_step_of(model.data(), "").phrase(),
                            .forecast = forecast(model, asked.horizon, asked.levels),
                            .backtest = asked.backtest};
  reported.fan = fan_figure(model, reported.forecast);
  if (asked.backtest) {
    reported.backtest_r2 = r2_of(*asked.backtest);
    reported.looks_back = {past_figure(model.data(), *asked.backtest),
                           reliability_figure(*asked.backtest)};
  }
  return reported;
}

}  // namespace covary
