#include <charconv>

#include <fmt/format.h>

#include <covary/evidence_fields.h>
#include <covary/expression.h>
#include <covary/forecast_fields.h>
#include <covary/screening.h>
#include <covary/version.h>

#include "report/figures.h"
#include "report/json.h"

namespace covary {
namespace {

// Seven digits are more than a figure shows, and a third of the bytes. Dates need more: seconds
// since 1970.
double rounded(double value, int digits) {
  const std::string text = fmt::format("{:.{}g}", value, digits);
  double result = value;
  std::from_chars(text.data(), text.data() + text.size(), result);
  return result;
}

Json numbers(const std::vector<double>& values, ColumnType type = ColumnType::number) {
  Json list = Json::array();
  const int digits = type == ColumnType::number ? 7 : 12;
  for (const double value : values) list.push_back(rounded(value, digits));
  return list;
}

Json to_json(const FigureAxis& axis) {
  Json object = {{"label", axis.label},
                 {"type", to_string(axis.type)},
                 {"low", rounded(axis.low, 12)},
                 {"high", rounded(axis.high, 12)}};
  if (axis.type == ColumnType::category) object["levels"] = axis.levels;
  return object;
}

const char* word_of(Figure::Stroke stroke) {
  switch (stroke) {
    case Figure::Stroke::strong:
      return "strong";
    case Figure::Stroke::second:
      return "second";
    case Figure::Stroke::third:
      return "third";
    case Figure::Stroke::reference:
      return "reference";
  }
  return "";
}

Json to_json(const Figure::Points& points, const FigureAxis& x, const FigureAxis& y) {
  return {{"label", points.label},
          {"x", numbers(points.x, x.type)},
          {"y", numbers(points.y, y.type)},
          {"names", points.names}};
}

Json to_json(const Figure& figure) {
  Json bands = Json::array();
  for (const Figure::Band& band : figure.bands) {
    bands.push_back({{"label", band.label},
                     {"lower", numbers(band.lower, figure.y.type)},
                     {"upper", numbers(band.upper, figure.y.type)}});
  }
  Json lines = Json::array();
  for (const Figure::Line& line : figure.lines) {
    lines.push_back({{"label", line.label},
                     {"stroke", word_of(line.stroke)},
                     {"is_step", line.is_step},
                     {"y", numbers(line.y, figure.y.type)}});
  }
  Json points = Json::array();
  for (const Figure::Points& set : figure.points) {
    points.push_back(to_json(set, figure.x, figure.y));
  }
  Json far = Json::array();
  for (const Figure::Span& span : figure.far) {
    far.push_back(numbers({span.low, span.high}, figure.x.type));
  }
  return {{"id", figure.id},
          {"title", figure.title},
          {"alt", figure.alt},
          {"x", to_json(figure.x)},
          {"y", to_json(figure.y)},
          {"grid", numbers(figure.grid, figure.x.type)},
          {"bands", bands},
          {"lines", lines},
          {"points", points},
          {"rug", numbers(figure.rug, figure.x.type)},
          {"far", far},
          {"is_by_value", figure.is_by_value},
          {"data_end", optional_json(figure.data_end)}};
}

Json to_json(const HeatMap& map) {
  Json is_near = Json::array();
  for (const bool near : map.is_near) is_near.push_back(near ? 1 : 0);
  return {{"id", map.id},
          {"title", map.title},
          {"alt", map.alt},
          {"x", to_json(map.x)},
          {"y", to_json(map.y)},
          {"value_label", map.value_label},
          {"x_places", numbers(map.x_places, map.x.type)},
          {"y_places", numbers(map.y_places, map.y.type)},
          {"values", numbers(map.values)},
          {"interaction", numbers(map.interaction)},
          {"is_near", is_near},
          {"data", to_json(map.data, map.x, map.y)}};
}

Json figures_of(const ReportModel& report) {
  Json figures = Json::array({to_json(report.fit)});
  for (const std::optional<Figure>& figure : report.components) {
    if (figure) figures.push_back(to_json(*figure));
  }
  if (report.outlook) {
    figures.push_back(to_json(report.outlook->fan));
    for (const Figure& figure : report.outlook->looks_back) figures.push_back(to_json(figure));
  }
  for (const auto* list : {&report.main_effects, &report.residuals, &report.progress}) {
    for (const Figure& figure : *list) figures.push_back(to_json(figure));
  }
  return figures;
}

Json maps_of(const ReportModel& report) {
  Json maps = Json::array();
  for (const std::optional<HeatMap>& map : report.component_maps) {
    if (map) maps.push_back(to_json(*map));
  }
  for (const HeatMap& map : report.interactions) maps.push_back(to_json(map));
  return maps;
}

Json to_json(const ReportedForecast& outlook) {
  Json rows = Json::array();
  const Forecast& forecast = outlook.forecast;
  for (std::size_t i = 0; i < forecast.size(); ++i) {
    Json row = {{"place", forecast.times[i]}};
    add_step(forecast, i, row);
    rows.push_back(std::move(row));
  }
  Json object = {{"step", outlook.step}, {"rows", rows}};
  if (!outlook.backtest) return object;
  object["backtest"] = {
      {"season_length", outlook.backtest->season},
      {"r2", optional_json(outlook.backtest_r2)},
      {"scores", scores_object<Json>(outlook.backtest->model)},
      {"seasonal_naive", scores_object<Json>(outlook.backtest->naive)},
      {"origins", origins_array<Json>(*outlook.backtest, [](double time) { return Json(time); })}};
  return object;
}

// null for a model whose search is not known.
Json to_json(const ReportedSearch& search) {
  if (search.finalists.empty()) return {};
  Json settings = Json::object();
  for (const auto& [name, value] : search.settings) settings[name] = value;
  Json finalists = Json::array();
  for (const ReportedFinalist& finalist : search.finalists) {
    finalists.push_back({{"kernel", finalist.kernel},
                         {"value", finalist.value},
                         {"rows", finalist.rows},
                         {"behind", finalist.behind},
                         {"odds", optional_json(finalist.odds)},
                         {"undecided", finalist.is_undecided}});
  }
  Json holdout;
  if (search.holdout) {
    holdout = {{"rows", search.holdout->rows},
               {"rmse", search.holdout->rmse},
               {"nll", search.holdout->nll},
               {"coverage_95", search.holdout->coverage},
               {"rmse_standardised", search.holdout->rmse_standardised},
               {"nll_standardised", search.holdout->nll_standardised}};
  }
  Json history = Json::array();
  for (const ReportedKernel& kernel : search.history) {
    history.push_back({{"index", kernel.index}, {"kernel", kernel.kernel}});
    add_fields(kernel.evidence, history.back());
    history.back().update({{"is_initial", kernel.is_initial},
                           {"wall_seconds", kernel.wall_seconds},
                           {"predicted_mean", optional_json(kernel.predicted_mean)},
                           {"predicted_sd", optional_json(kernel.predicted_sd)},
                           {"weights", kernel.weights}});
  }
  return {{"run", search.run},
          {"version", search.version},
          {"created", search.created},
          {"seed", search.seed},
          {"fingerprint", search.fingerprint},
          {"criterion", to_string(search.criterion)},
          {"end", to_string(search.end)},
          {"expected_gain", optional_json(search.expected_gain)},
          {"seconds", search.seconds},
          {"fit_seconds", search.fit_seconds},
          {"proposal_seconds", search.proposal_seconds},
          {"evaluations", search.history.size()},
          {"failed_evaluations", search.num_failed},
          {"holdout", holdout},
          {"holdout_r2", search.holdout ? Json(holdout_r2(*search.holdout)) : Json()},
          {"settings", settings},
          {"finalists", finalists},
          {"history", history}};
}

}  // namespace

Json to_json(const ReportModel& report) {
  Json forecast = Json::array();
  for (const ForecastRow& row : report.forecast) {
    forecast.push_back({{"place", row.place},
                        {"mean", row.mean},
                        {"lower_50", row.lower_50},
                        {"upper_50", row.upper_50},
                        {"lower_95", row.lower_95},
                        {"upper_95", row.upper_95}});
  }
  Json outlook;
  if (report.outlook) outlook = to_json(*report.outlook);
  return {{"covary", version},
          {"kernel", report.explanation.kernel},
          {"target", report.explanation.target},
          {"inputs", report.model.data().input_names()},
          {"screened_from",
           is_screened(report.model.data()) ? Json(report.model.data().num_candidates()) : Json()},
          {"rows", report.model.num_rows()},
          {"criterion",
           report.has_search() ? to_string(report.search.criterion) : "log_marginal_likelihood"},
          {"value", report.value},
          {"value_per_row", report.value_per_row},
          {"lead", report.lead},
          {"explanation", to_json(report.explanation)},
          {"forecast", forecast},
          {"outlook", outlook},
          {"search", to_json(report.search)},
          {"figures", figures_of(report)},
          {"maps", maps_of(report)}};
}

std::string report_to_json(const ReportModel& report) {
  return to_json(report).dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace covary
