// The section of a forecast.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <covary/message_text.h>

#include "explain/quantity_text.h"
#include "report/page.h"

namespace covary {
namespace {

using List = kainjow::mustache::list;

constexpr std::size_t max_rows = 200;  // forecast.csv has all of them
constexpr std::size_t rows_in_view = 24;

View text_view(const std::string& text) {
  View view;
  put(view, "text", text);
  return view;
}

View forecast_rows(const Forecast& forecast, const TimeTexts& time_text) {
  double largest = 0.0;
  for (const Forecast::Band& band : forecast.bands) {
    for (std::size_t i = 0; i < forecast.size(); ++i) {
      largest = std::max({largest, std::abs(band.lower[i]), std::abs(band.upper[i])});
    }
  }
  List rows;
  for (std::size_t i = 0; i < std::min(forecast.size(), max_rows); ++i) {
    View row;
    put(row, "time", time_text(forecast.times[i]));
    put(row, "median", aligned_number(forecast.median[i], largest));
    put(row, "mean", aligned_number(forecast.mean[i], largest));
    List intervals;
    for (const Forecast::Band& band : forecast.bands) {
      intervals.push_back(text_view(fmt::format("{} to {}", aligned_number(band.lower[i], largest),
                                                aligned_number(band.upper[i], largest))));
    }
    row.set("intervals", intervals);
    rows.push_back(std::move(row));
  }
  return rows;
}

// The largest errors of a table: one below the other, all have the decimals that suit these.
struct LargestErrors {
  double error = 0.0;   // in the target's unit
  double scaled = 0.0;  // MASE

  void see(const ForecastScores& scores) {
    error = std::max({error, scores.mae, scores.crps});
    if (std::isfinite(scores.mase)) scaled = std::max(scaled, scores.mase);
  }
};

View scores_view(std::string_view name, const ForecastScores& scores,
                 const LargestErrors& largest) {
  View view;
  put(view, "name", name);
  put(view, "rows", std::to_string(scores.num_rows));
  put(view, "mae", aligned_number(scores.mae, largest.error));
  put(view, "mase", std::isfinite(scores.mase) ? aligned_number(scores.mase, largest.scaled) : "–");
  put(view, "crps", aligned_number(scores.crps, largest.error));
  put(view, "coverage_80", percent_text(scores.coverage_80));
  put(view, "coverage_95", percent_text(scores.coverage_95));
  return view;
}

View backtest_view(const ReportedForecast& outlook, const TimeTexts& time_text) {
  const Backtest& backtest = *outlook.backtest;
  const std::string naive = backtest.season > 1 ? "seasonal naive" : "naive";
  View view;
  put(view, "num_origins",
      backtest.origins.size() == 1
          ? std::string("one origin in the past, the same search on the rows before it")
          : fmt::format("{} origins in the past, the same search on the rows before each",
                        count_word(backtest.origins.size())));
  put(view, "naive",
      backtest.season > 1 ? fmt::format("what was there {} steps before", backtest.season)
                          : "the last row’s value");
  List scores;
  LargestErrors overall;
  overall.see(backtest.model);
  overall.see(backtest.naive);
  scores.push_back(scores_view("model", backtest.model, overall));
  scores.push_back(scores_view(naive, backtest.naive, overall));
  view.set("scores", scores);
  LargestErrors of_origins;
  for (const BacktestOrigin& origin : backtest.origins) {
    of_origins.see(origin.model);
    of_origins.see(origin.naive);
  }
  List origins;
  for (const BacktestOrigin& origin : backtest.origins) {
    View row = scores_view(time_text(origin.origin), origin.model, of_origins);
    put(row, "naive_mae", aligned_number(origin.naive.mae, of_origins.error));
    put(row, "kernel", origin.kernel);
    origins.push_back(std::move(row));
  }
  view.set("origins", origins);
  List figures;
  for (const Figure& figure : outlook.looks_back) figures.push_back(view_of(figure, 520, 320));
  view.set("figures", figures);
  return view;
}

}  // namespace

void put_forecast(View& view, const ReportModel& report) {
  view.set("has_outlook", report.outlook.has_value());
  if (!report.outlook) return;
  const ReportedForecast& outlook = *report.outlook;
  View section;
  put(section, "steps",
      outlook.forecast.size() == 1
          ? outlook.step
          : fmt::format("{} steps, {} each", outlook.forecast.size(), outlook.step));
  section.set("fan", view_of(outlook.fan, 960, 380));
  List levels;
  for (const Forecast::Band& band : outlook.forecast.bands) {
    levels.push_back(text_view(fmt::format("{} % interval", shown_number(band.level))));
  }
  section.set("levels", levels);
  const TimeTexts time_text(report.model.data(), outlook.forecast.times);
  section.set("rows", forecast_rows(outlook.forecast, time_text));
  section.set("is_long", outlook.forecast.size() > rows_in_view);
  section.set("is_cut", outlook.forecast.size() > max_rows);
  section.set("backtest", outlook.backtest ? backtest_view(outlook, time_text) : View(false));
  view.set("outlook", section);
}

}  // namespace covary
