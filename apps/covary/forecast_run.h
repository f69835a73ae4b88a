#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <covary/covary.h>

namespace covary::app {

// What `covary forecast` was asked for.
struct ForecastCommand {
  std::string path;
  std::string out;
  std::string output;  // file of the table; empty: stdout
  std::string time;
  std::string group;
  CsvOptions csv;
  DatasetOptions dataset;
  ForecastOptions forecast;
  SplitOptions split;  // its seed alone
  SearchOptions search;
  bool resume = false;
  bool force = false;
  bool json = false;
  bool quiet = false;

  std::size_t horizon() const { return *forecast.horizon; }
};

// A series with its forecast, and where all of it is kept.
struct SeriesForecast {
  std::string name = {};  // of the group's level; empty for the only series
  std::string folder = {};
  bool has_report = false;
  std::string step = {};
  std::size_t season = 1;
  std::size_t num_rows = 0;
  std::string kernel = {};
  TargetTransform transform = TargetTransform::none;
  double value = 0.0;
  double value_per_row = 0.0;
  std::size_t num_evaluations = 0;
  double seconds = 0.0;
  Forecast forecast = {};
  std::optional<Backtest> backtest = {};
  std::string error = {};  // why there is none of it; only for one series of several
};

// Searches, forecasts and, where asked for, looks back. Throws Interrupted.
SeriesForecast forecast_series(const TimeSeries& series, const ForecastCommand& command,
                               const std::string& folder);

// The same for every series, side by side, each in its own folder below `folder`. A series that
// cannot be forecast does not stop the others; Error if none can.
std::vector<SeriesForecast> forecast_groups(const std::vector<TimeSeries>& all,
                                            const ForecastCommand& command,
                                            const std::string& folder);

}  // namespace covary::app
