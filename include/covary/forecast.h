#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <covary/ensemble.h>
#include <covary/expression.h>
#include <covary/grammar.h>
#include <covary/model.h>
#include <covary/settings.h>
#include <covary/table.h>
#include <covary/time_series.h>
#include <covary/time_step.h>

namespace covary {

// What repeats itself in a series: the season of the seasonal naive forecast and of MASE, and the
// only word of the calendar that a search with an open space has. `automatic`: the usual season of
// such steps, and every word that suits the data.
enum class Season { automatic, none, year, week, day };
std::string_view to_string(Season season);  // "auto", "none", "year", ...

struct ForecastOptions {
  std::optional<std::size_t> horizon = {};    // steps to look ahead; has to be given
  std::vector<double> levels = {80.0, 95.0};  // of the intervals, in %
  Season season = Season::automatic;
  std::size_t backtest = 0;  // origins in the past to forecast from
};

const std::vector<Setting<ForecastOptions>>& forecast_settings();

// ---- what comes next ----

// The next times of a series and what a model says of them, in the target's own units.
struct Forecast {
  std::string time_name = {};
  ColumnType time_type = ColumnType::number;
  std::string date_format = {};  // of dates, as the table has them (Column::date_format)
  std::string target_name = {};
  std::vector<double> times = {};
  std::vector<double> mean = {};
  std::vector<double> median = {};
  std::vector<double> sd = {};  // of y: the noise is in it
  struct Band {
    double level = 0.0;  // in %
    std::vector<double> lower;
    std::vector<double> upper;
  };
  std::vector<Band> bands = {};  // in the order of the levels asked for

  std::size_t size() const { return times.size(); }
  std::string time_text(std::size_t i) const;
};

// The step of a model's rows. Throws Error unless its one input has a regular step.
TimeStep time_step_of(const Dataset& data, const std::string& source);

// Throws Error as time_step_of(), and for a level that is not between 0 and 100.
Forecast forecast(const Ensemble& model, std::size_t horizon,
                  const std::vector<double>& levels = ForecastOptions().levels);

// "lower_80", "upper_97.5"
std::string band_name(std::string_view side, double level);

// One line a step: the time under its own name, mean, median, sd, and lower and upper for every
// level; before them, where it is given, a first column with the same text in every line.
struct FirstColumn {
  std::string name;
  std::string value;
};
std::string csv_header(const Forecast& forecast, const std::optional<FirstColumn>& first = {});
std::string csv_lines(const Forecast& forecast, const std::optional<FirstColumn>& first = {});

// Writes beside the file first and then renames, so that no half-written table is ever seen. Throws
// Error: cannot_write, disk.
void save_csv(const std::string& text, const std::string& path);

// ---- seasons ----

// Steps of one season, 1 where there is none. Throws Error (usage) for a season that such steps
// cannot show; `place` as in time_step_of().
std::size_t season_length(const TimeStep& step, Season season, const std::string& place);

// The space to search over: of an open one, with no other word of the calendar than that of the
// season. Throws Error (usage) for a season of an input without a calendar.
SearchSpaceOptions space_for_season(SearchSpaceOptions space, Season season,
                                    const InputNames& inputs, const std::string& place);

// ---- how good such forecasts have been ----

// Mean over rows that were not known at the time.
struct ForecastScores {
  std::size_t num_rows = 0;
  double mae = 0.0;   // of the median
  double mase = 0.0;  // that in mean changes from season to season; NaN where those are none
  double crps = 0.0;
  double coverage_80 = 0.0;
  double coverage_95 = 0.0;
};

// One origin of a backtest: what is known then, and what came within the horizon.
struct BacktestWindow {
  TimeSeries known = {};
  std::vector<double> times = {};
  std::vector<double> actual = {};
};

// The last `count` stretches of the horizon, the latest last. Throws Error (usage) if the first one
// leaves too few rows to learn from.
std::vector<BacktestWindow> backtest_windows(const TimeSeries& series, const TimeStep& step,
                                             std::size_t horizon, std::size_t count);

// What a forecast and the seasonal naive one said at an origin, and what came.
struct BacktestOrigin {
  double origin = 0.0;  // the last time known
  std::size_t num_known = 0;
  std::string kernel = {};
  std::vector<double> times = {};
  std::vector<double> actual = {};
  std::vector<double> median = {};
  std::vector<double> lower_80 = {};
  std::vector<double> upper_80 = {};
  std::vector<double> lower_95 = {};
  std::vector<double> upper_95 = {};
  std::vector<double> probability = {};        // that the model gave to less than what came
  std::vector<double> naive_probability = {};  // and the naive forecast
  ForecastScores model = {};
  ForecastScores naive = {};
};

// Scores of a model of the window's known rows. REQUIRES: it has rows to come.
BacktestOrigin score_window(const BacktestWindow& window, const TimeStep& step, std::size_t season,
                            const Ensemble& model);

// How often what came was inside of the central interval of a level, which it should be in so many
// % of all cases.
struct Reliability {
  double level = 0.0;  // in %
  double inside = 0.0;
  double naive_inside = 0.0;
};

struct Backtest {
  std::size_t season = 1;  // steps of the seasonal naive forecast
  std::vector<BacktestOrigin> origins = {};
  ForecastScores model = {};
  ForecastScores naive = {};
  std::vector<Reliability> reliability = {};
};
Backtest backtest_of(std::size_t season, std::vector<BacktestOrigin> origins);

// What forecast was asked of a run, and how its backtest went: all that its report needs besides
// the model.
struct RunForecast {
  std::size_t horizon = 0;
  std::vector<double> levels = {};
  std::optional<Backtest> backtest = {};
};

// Kept with the run of that folder, as text. The text of another version reads as nothing.
void keep_forecast(const std::string& run_folder, const RunForecast& forecast);
std::string forecast_to_text(const RunForecast& forecast);
std::optional<RunForecast> forecast_from_text(const std::string& text);

}  // namespace covary
