#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include <covary/forecast_fields.h>

#include "store/run_store.h"
#include "store/whole_file.h"

namespace covary {

// JSON has no number for what cannot be told; it is null there.
static void to_json(nlohmann::json& json, const ForecastScores& scores) {
  json = scores_object<nlohmann::json>(scores);
}

static void from_json(const nlohmann::json& json, ForecastScores& scores) {
  scores.num_rows = json.at("rows").get<std::size_t>();
  scores.mae = json.at("mae").get<double>();
  const nlohmann::json& mase = json.at("mase");
  scores.mase = mase.is_null() ? std::numeric_limits<double>::quiet_NaN() : mase.get<double>();
  scores.crps = json.at("crps").get<double>();
  scores.coverage_80 = json.at("coverage_80").get<double>();
  scores.coverage_95 = json.at("coverage_95").get<double>();
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(BacktestOrigin, origin, num_known, kernel, times, actual, median,
                                   lower_80, upper_80, lower_95, upper_95, probability,
                                   naive_probability, model, naive)

std::string forecast_to_text(const RunForecast& forecast) {
  nlohmann::json json = {{"horizon", forecast.horizon}, {"levels", forecast.levels}};
  if (forecast.backtest) {
    json["season"] = forecast.backtest->season;
    json["origins"] = forecast.backtest->origins;
  }
  return json.dump();
}

std::optional<RunForecast> forecast_from_text(const std::string& text) {
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    RunForecast forecast{.horizon = json.at("horizon").get<std::size_t>(),
                         .levels = json.at("levels").get<std::vector<double>>()};
    if (json.contains("origins")) {
      forecast.backtest = backtest_of(json.at("season").get<std::size_t>(),
                                      json.at("origins").get<std::vector<BacktestOrigin>>());
    }
    return forecast;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

void save_csv(const std::string& text, const std::string& path) { write_whole_file(path, text); }

void keep_forecast(const std::string& run_folder, const RunForecast& forecast) {
  RunStore::open(run_folder).set_fact("forecast", forecast_to_text(forecast));
}

}  // namespace covary
