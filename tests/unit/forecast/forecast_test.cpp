#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <covary/evidence.h>
#include <covary/forecast.h>

#include "unit/table/error_of.h"

namespace covary {
namespace {

std::string months_csv(int count) {
  std::string text = "month,y\n";
  for (int i = 0; i < count; ++i) {
    text += fmt::format("{}-{:02}-{},{}\n", 2020 + i / 12, 1 + i % 12, "01",
                        5.0 + i + std::sin(0.5 * i));
  }
  return text;
}

TimeSeries months(int count) {
  std::vector<std::string> notes;
  return time_series_of(read_csv_text(months_csv(count), "F"), {.target = "y"}, notes).front();
}

FittedModel model_of(const Dataset& data) {
  return {parse_expression("SE", inputs_of(data)), {0.3, 1.0, 0.01}, data};
}

TEST(Forecast, IsThePredictionAtTheNextTimes) {
  const Dataset data = months(30).dataset();
  const FittedModel model = model_of(data);
  const Forecast next = forecast(Ensemble(model), 3, {50.0, 97.5});
  ASSERT_EQ(next.size(), 3U);
  EXPECT_EQ(next.time_text(0), "2022-07-01");
  EXPECT_EQ(next.time_text(2), "2022-09-01");
  const Prediction same = model.predict({next.times});
  EXPECT_EQ(next.mean, same.mean);
  EXPECT_EQ(next.sd, same.sd);
  EXPECT_EQ(next.median, same.quantile(0.5));
  EXPECT_EQ(next.bands[1].upper, same.interval(0.975).upper);
  EXPECT_EQ(csv_header(next), "month,mean,median,sd,lower_50,upper_50,lower_97.5,upper_97.5\n");
  EXPECT_EQ(csv_header(next, FirstColumn{"a,b", "x"}).substr(0, 12), "\"a,b\",month,");
}

TEST(Forecast, OfATransformedTargetIsNeverNegative) {
  const Dataset data = months(30).dataset().with_transform(TargetTransform::log);
  const Forecast next = forecast(Ensemble(model_of(data)), 60, {99.9});
  for (std::size_t i = 0; i < next.size(); ++i) {
    EXPECT_GT(next.bands[0].lower[i], 0.0);
    EXPECT_LT(next.median[i], next.mean[i]);
  }
}

TEST(Forecast, RefusesWhatIsNoSeries) {
  const Table table = read_csv_text("a,b,y\n1,2,3\n2,1,5\n3,7,4\n4,4,4\n", "F");
  const Dataset data = make_dataset(table, {.target = "y"});
  const FittedModel model(parse_expression("SE_1", inputs_of(data)), {0.3, 1.0, 0.01}, data);
  EXPECT_EQ(error_of(ErrorKind::bad_data, [&] { static_cast<void>(forecast(Ensemble(model), 3)); }),
            "a forecast needs one input, the time; there are a, b");
  const Ensemble series(model_of(months(12).dataset()));
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { static_cast<void>(forecast(series, 3, {120.0})); }),
            "levels must be between 0 and 100 %, not 120");
}

TEST(Season, OfACalendarFollowsTheStep) {
  const Dataset data = months(36).dataset();
  const TimeStep step = time_step_of(data, "F");
  EXPECT_EQ(season_length(step, Season::automatic, "F"), 12U);
  EXPECT_EQ(season_length(step, Season::year, "F"), 12U);
  EXPECT_EQ(season_length(step, Season::none, "F"), 1U);
  EXPECT_EQ(
      error_of(ErrorKind::usage, [&] { static_cast<void>(season_length(step, Season::day, "F")); }),
      "--season day: F: rows that are a month apart show no day; choose another season, or "
      "auto");
}

std::string space_of(Season season, const Dataset& data) {
  return space_for_season({}, season, inputs_of(data), "F: column \"month\"").space;
}

TEST(Season, IsTheOnlyWordOfTheCalendarInAnOpenSpace) {
  const Dataset data = months(36).dataset();
  EXPECT_EQ(space_of(Season::automatic, data), "auto");
  const std::string yearly = space_of(Season::year, data);
  EXPECT_NE(yearly.find("YEAR"), std::string::npos) << yearly;
  EXPECT_EQ(space_of(Season::none, data).find("YEAR"), std::string::npos);
  // Asked for by name, also where a search by itself would not think of it.
  EXPECT_NE(space_of(Season::year, months(12).dataset()).find("YEAR"), std::string::npos);
  SearchSpaceOptions named{.space = "SE,PER"};
  EXPECT_EQ(space_for_season(named, Season::year, inputs_of(data), "F").space, "SE,PER");
  // Operators stay what they are without a season.
  const SearchSpaceOptions open = space_for_season({}, Season::none, inputs_of(data), "F");
  const SearchSpace before = make_search_space({}, inputs_of(data));
  EXPECT_EQ(make_search_space(open, inputs_of(data)).operators, before.operators);
}

TEST(Season, NeedsACalendar) {
  const Table table = read_csv_text("t,y\n1,2\n2,4\n3,3\n4,5\n", "F");
  const Dataset data = make_dataset(table, {.target = "y"});
  EXPECT_EQ(error_of(ErrorKind::usage, [&] { static_cast<void>(space_of(Season::year, data)); }),
            "--season year: F: column \"month\" has no calendar; it needs dates, or numbers that "
            "count years");
}

TEST(Backtest, HasTheLastStretchesOfTheHorizon) {
  const TimeSeries series = months(30);
  const TimeStep step = time_step_of(series.dataset(), "F");
  const std::vector<BacktestWindow> windows = backtest_windows(series, step, 4, 3);
  ASSERT_EQ(windows.size(), 3U);
  EXPECT_EQ(windows[0].known.num_rows(), 18U);
  EXPECT_EQ(windows[2].known.num_rows(), 26U);
  EXPECT_EQ(windows[2].actual.size(), 4U);
  EXPECT_EQ(windows[2].actual.back(), series.target().values.back());
  for (const BacktestWindow& window : windows) {
    EXPECT_LT(window.known.time().values.back(), window.times.front());
  }
}

TEST(Backtest, CountsStepsNotRows) {
  std::string text = months_csv(30);
  text.erase(text.find("2022-05"), text.find("2022-06") - text.find("2022-05"));
  std::vector<std::string> notes;
  const TimeSeries series =
      time_series_of(read_csv_text(text, "F"), {.target = "y"}, notes).front();
  const std::vector<BacktestWindow> windows =
      backtest_windows(series, time_step_of(series.dataset(), "F"), 4, 1);
  EXPECT_EQ(windows[0].known.num_rows(), 26U);
  EXPECT_EQ(windows[0].times.size(), 3U);
}

TEST(Backtest, IsKeptAsText) {
  const TimeSeries series = months(30);
  const TimeStep step = time_step_of(series.dataset(), "F");
  std::vector<BacktestOrigin> origins;
  for (const BacktestWindow& window : backtest_windows(series, step, 5, 2)) {
    // No two rows are 40 steps apart: such a MASE cannot be told.
    origins.push_back(score_window(window, step, 40, model_of(window.known.dataset())));
  }
  const RunForecast kept{.horizon = 5, .levels = {80.0}, .backtest = backtest_of(40, origins)};
  const std::optional<RunForecast> again = forecast_from_text(forecast_to_text(kept));
  ASSERT_TRUE(again && again->backtest);
  EXPECT_EQ(again->horizon, 5U);
  EXPECT_EQ(again->levels, kept.levels);
  EXPECT_EQ(again->backtest->season, 40U);
  EXPECT_EQ(again->backtest->model.crps, kept.backtest->model.crps);
  EXPECT_TRUE(std::isnan(again->backtest->model.mase));
  EXPECT_EQ(again->backtest->origins[1].upper_95, origins[1].upper_95);
  EXPECT_FALSE(forecast_from_text("{}"));
  EXPECT_FALSE(forecast_from_text("no JSON"));
}

TEST(TimeSeries, AreToldApartByTheirGroup) {
  const Table table = read_csv_text(
      "shop,day,y\nb,2024-01-02,4\na,2024-01-01,1\nb,2024-01-01,3\na,2024-01-02,2\nb,2024-01-03,"
      "9\n",
      "F");
  std::vector<std::string> notes;
  const std::vector<TimeSeries> series =
      time_series_of(table, {.target = "y", .group = "shop"}, notes);
  ASSERT_EQ(series.size(), 2U);
  EXPECT_EQ(series[0].name, "a");
  EXPECT_EQ(series[1].target().values, (std::vector<double>{3, 4, 9}));
  EXPECT_TRUE(notes.empty());
  EXPECT_EQ(series[1].first_rows(2).target().values, (std::vector<double>{3, 4}));
}

}  // namespace
}  // namespace covary
