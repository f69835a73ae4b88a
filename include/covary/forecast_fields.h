#pragma once

#include <cstddef>

#include <covary/forecast.h>

namespace covary {

// Forecasts as objects of a JSON library: what the command line prints, runs keep and reports hold
// is said here once.

template <class Json>
Json scores_object(const ForecastScores& scores) {
  return {{"rows", scores.num_rows},
          {"mae", scores.mae},
          {"mase", scores.mase},
          {"crps", scores.crps},
          {"coverage_80", scores.coverage_80},
          {"coverage_95", scores.coverage_95}};
}

// Puts what is said of step i beside what is there of it already: its time, say.
template <class Json>
void add_step(const Forecast& forecast, std::size_t i, Json& row) {
  row["mean"] = forecast.mean[i];
  row["median"] = forecast.median[i];
  row["sd"] = forecast.sd[i];
  for (const Forecast::Band& band : forecast.bands) {
    row[band_name("lower", band.level)] = band.lower[i];
    row[band_name("upper", band.level)] = band.upper[i];
  }
}

// Origin by origin; `time_of(time)` is a time as a value of the library.
template <class Json, class TimeOf>
Json origins_array(const Backtest& backtest, const TimeOf& time_of) {
  Json origins = Json::array();
  for (const BacktestOrigin& origin : backtest.origins) {
    origins.push_back({{"origin", time_of(origin.origin)},
                       {"training_rows", origin.num_known},
                       {"kernel", origin.kernel},
                       {"scores", scores_object<Json>(origin.model)},
                       {"seasonal_naive", scores_object<Json>(origin.naive)}});
  }
  return origins;
}

}  // namespace covary
