#include <algorithm>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/forecast.h>
#include <covary/message_text.h>
#include <covary/option_text.h>

#include "forecast/naive.h"
#include "forecast/scores.h"

namespace covary {
namespace {

constexpr std::size_t least_known = 8;  // rows to learn from

}  // namespace

std::vector<BacktestWindow> backtest_windows(const TimeSeries& series, const TimeStep& step,
                                             std::size_t horizon, std::size_t count) {
  const std::vector<double>& times = series.time().values;
  const std::vector<double>& targets = series.target().values;
  const std::int64_t last = step.index_of(times.back());
  std::vector<BacktestWindow> windows;
  for (std::size_t back = count; back > 0; --back) {
    const std::int64_t origin = last - static_cast<std::int64_t>(back * horizon);
    const auto place_after = [&](std::int64_t index) {
      return std::partition_point(times.begin(), times.end(),
                                  [&](double time) { return step.index_of(time) <= index; }) -
             times.begin();
    };
    const std::ptrdiff_t begin = place_after(origin);
    const std::ptrdiff_t end = place_after(origin + static_cast<std::int64_t>(horizon));
    if (begin < static_cast<std::ptrdiff_t>(least_known)) {
      throw Error(
          ErrorKind::usage,
          fmt::format("{} with {} leaves {} of {} rows of {} to learn "
                      "from at the first origin; at least {} are needed: take fewer origins "
                      "or a shorter horizon",
                      option_text("backtest", std::to_string(count)),
                      option_text("horizon", std::to_string(horizon)), begin, times.size(),
                      shown_source(series.table.source), least_known));
    }
    if (begin == end) continue;  // a gap as long as the horizon
    windows.push_back({series.first_rows(static_cast<std::size_t>(begin)),
                       {times.begin() + begin, times.begin() + end},
                       {targets.begin() + begin, targets.begin() + end}});
  }
  return windows;
}

BacktestOrigin score_window(const BacktestWindow& window, const TimeStep& step, std::size_t season,
                            const Ensemble& model) {
  const SeasonalNaive naive(window.known, step, season);
  const Prediction prediction = model.predict({window.times});
  const Prediction naive_prediction = naive.predict(window.times);
  Prediction::Interval narrow = prediction.interval(0.8);
  Prediction::Interval wide = prediction.interval(0.95);
  return {.origin = window.known.time().values.back(),
          .num_known = window.known.num_rows(),
          .kernel = model.members().front().kernel_text(),
          .times = window.times,
          .actual = window.actual,
          .median = prediction.quantile(0.5),
          .lower_80 = std::move(narrow.lower),
          .upper_80 = std::move(narrow.upper),
          .lower_95 = std::move(wide.lower),
          .upper_95 = std::move(wide.upper),
          .probability = probabilities_below(prediction, window.actual),
          .naive_probability = probabilities_below(naive_prediction, window.actual),
          .model = scores_of(prediction, window.actual, naive.mean_change()),
          .naive = scores_of(naive_prediction, window.actual, naive.mean_change())};
}

Backtest backtest_of(std::size_t season, std::vector<BacktestOrigin> origins) {
  Backtest backtest{.season = season, .origins = std::move(origins)};
  std::vector<ForecastScores> model;
  std::vector<ForecastScores> naive;
  for (const BacktestOrigin& origin : backtest.origins) {
    model.push_back(origin.model);
    naive.push_back(origin.naive);
  }
  backtest.model = joined(model);
  backtest.naive = joined(naive);
  const auto n = static_cast<double>(backtest.model.num_rows);
  for (const double level : {10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0}) {
    Reliability reliability{.level = level};
    for (const BacktestOrigin& origin : backtest.origins) {
      for (std::size_t i = 0; i < origin.actual.size(); ++i) {
        reliability.inside += is_inside(level, origin.probability[i]) ? 1.0 / n : 0.0;
        reliability.naive_inside += is_inside(level, origin.naive_probability[i]) ? 1.0 / n : 0.0;
      }
    }
    backtest.reliability.push_back(reliability);
  }
  return backtest;
}

}  // namespace covary
