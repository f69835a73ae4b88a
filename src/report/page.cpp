#include "report/page.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include <covary/message_text.h>
#include <covary/screening.h>
#include <covary/time_step.h>
#include <covary/version.h>

#include "explain/quantity_text.h"
#include "explain/sentences.h"
#include "report/figures.h"
#include "report/json.h"
#include "report/svg.h"
#include "store/whole_file.h"

namespace covary {
namespace {

using List = kainjow::mustache::list;

constexpr std::size_t max_text = 4000;

// A minus as wide as a plus, as print has it.
std::string with_minus(const std::string& number) {
  return number.starts_with('-') ? "−" + number.substr(1) : number;
}

// Words of the terminal as print has them: a number and its sign stay on one line, and a minus is
// as wide as a plus.
std::string set_well(std::string line) {
  const auto is_digit_at = [&](std::size_t at) {
    return at < line.size() && line[at] >= '0' && line[at] <= '9';
  };
  const std::string blank = "\u00a0";
  for (const std::string sign : {" %", "p = ", "p < ", "> "}) {
    std::string fixed = sign;
    for (std::size_t i = 0; (i = fixed.find(' ', i)) != std::string::npos; i += blank.size()) {
      fixed.replace(i, 1, blank);
    }
    for (std::size_t at = 0; (at = line.find(sign, at)) != std::string::npos; ++at) {
      if (sign == " %" || is_digit_at(at + sign.size())) line.replace(at, sign.size(), fixed);
    }
  }
  for (const std::string before : {" ", "("}) {
    for (std::size_t at = 0; (at = line.find(before + "-", at)) != std::string::npos; ++at) {
      if (is_digit_at(at + 2)) line.replace(at + 1, 1, "−");
    }
  }
  return line;
}

View pair_view(std::string_view label, const std::string& value) {
  View view;
  put(view, "label", label);
  put(view, "value", with_minus(value));
  return view;
}

View tile(const std::string& value, std::string_view label, std::string_view note) {
  View view = pair_view(label, value);
  put(view, "note", note);
  return view;
}

std::string odds_of(const ReportModel& report) {
  // The second of those that were compared on the same rows.
  const std::vector<ReportedFinalist>& finalists = report.search.finalists;
  std::size_t second = 1;
  while (second < finalists.size() && finalists[second].rows != finalists[second - 1].rows) {
    ++second;
  }
  if (second >= finalists.size() || !finalists[second].odds) return {};
  if (finalists[second].is_undecided) return "undecided";
  const double odds = *finalists[second].odds;
  return odds > 1000.0 ? "> 1000 : 1" : fmt::format("{} : 1", number_text(odds, 3));
}

// Of a search that compared its kernels on some of the rows.
std::string judged_text(const ReportModel& report) {
  if (!report.has_search()) return {};
  const std::size_t judged = report.search.finalists.front().rows;
  const std::size_t all = report.model.num_rows();
  return judged > 0 && judged < all ? fmt::format(", on {} of {} rows", judged, all) : "";
}

View tiles(const ReportModel& report) {
  const Explanation& explanation = report.explanation;
  List list;
  // What holds outside of the sample leads, what is hardest first.
  const std::string of_target =
      "of the variance of " + transformed_name(explanation.transform, explanation.target);
  if (report.outlook && report.outlook->backtest_r2) {
    list.push_back(tile(percent_text(*report.outlook->backtest_r2), "backtest R²",
                        "of the variance of what came after its origins"));
  }
  if (const std::optional<HoldoutFigures>& holdout = report.search.holdout) {
    list.push_back(tile(percent_text(holdout_r2(*holdout)), "held-out R²",
                        fmt::format("of the variance of {} rows never seen, {} of which are "
                                    "inside their 95 % interval",
                                    holdout->rows, percent_text(holdout->coverage))));
    list.push_back(tile(number_text(holdout->rmse, 3), "held-out error",
                        "root mean square, of the same rows"));
  }
  if (is_of_constant(explanation)) {
    list.push_back(tile(number_text(explanation.offset, 6), "the same value", "in every row"));
    return list;
  }
  list.push_back(tile(percent_text(explanation.leave_one_out_r2), "leave-one-out R²",
                      of_target + ", each row from all the others"));
  list.push_back(tile(amount_text(explanation.transform, explanation.leave_one_out_error),
                      "leave-one-out error", "mean absolute, each row from all the others"));
  list.push_back(tile(percent_text(explanation.coverage_95), "inside 95 % intervals",
                      "leave-one-out, of the rows"));
  list.push_back(tile(percent_text(explanation.variance), "inside the sample",
                      of_target + " explained, of the rows it was fitted to"));
  const std::string title = report.has_search() ? std::string(title_of(report.search.criterion))
                                                : std::string("log marginal likelihood");
  list.push_back(tile(number_text(report.value, 4), title,
                      fmt::format("{} per row{}", with_minus(number_text(report.value_per_row, 3)),
                                  judged_text(report))));
  if (const std::string odds = odds_of(report); !odds.empty()) {
    list.push_back(tile(odds, "odds",
                        odds == "undecided" ? "on all rows the next best may be the better one"
                                            : "of this kernel against the next best"));
  }
  return list;
}

View texts(const std::vector<std::string>& lines) {
  List list;
  for (const std::string& line : lines) {
    View view;
    put(view, "text", line);
    list.push_back(std::move(view));
  }
  return list;
}

View check_views(const std::vector<ModelCheck>& checks) {
  List list;
  for (const ModelCheck& check : checks) {
    const bool is_misfit = check.evidence_of_misfit != Misfit::none;
    View view;
    put(view, "words", capitalized(check.words));
    put(view, "p_value", p_value_text(check.p_value));
    put(view, "verdict",
        is_misfit ? fmt::format("{} evidence of a misfit", to_string(check.evidence_of_misfit))
                  : "as expected");
    view.set("is_misfit", is_misfit);
    list.push_back(std::move(view));
  }
  return list;
}

View component_view(const ReportModel& report, std::size_t place) {
  const ExplainedComponent& component = report.explanation.components[place];
  View view;
  put(view, "number", std::to_string(place + 1));
  // Of several inputs, the title goes on after a colon with what happens along each of them.
  const std::size_t colon =
      component.inputs.size() > 1 ? component.title.find(": ") : std::string::npos;
  put(view, "title", component.title.substr(0, colon));
  put(view, "kernel", component.kernel);
  std::string words = fmt::format("{}", fmt::join(component.sentences, " "));
  if (colon != std::string::npos) {
    words = capitalized(component.title.substr(colon + 2)) + ". " + words;
  }
  put(view, "words", words);
  view.set("is_minor", component.is_zero || component.is_artefact);
  put(view, "minor", component.is_artefact ? "very small" : "not distinguishable from zero");
  List facts;
  facts.push_back(pair_view("variance, inside the sample", percent_text(component.added_variance)));
  facts.push_back(pair_view("with the parts before it", percent_text(component.variance)));
  facts.push_back(pair_view("cross-validated error",
                            amount_text(report.explanation.transform, component.error)));
  if (component.evidence_lost) {
    facts.push_back(
        pair_view("evidence lost without it", number_text(*component.evidence_lost, 3)));
  }
  view.set("facts", facts);
  const std::vector<ModelCheck>& checks = component.checks;
  view.set("checks", check_views(checks));
  view.set("has_checks", !checks.empty());
  const std::optional<Figure>& figure = report.components[place];
  // What has no script to draw it anew is drawn for small screens too.
  const double width = figure && is_by_level(*figure) ? 480.0 : 620.0;
  view.set("figure", figure ? view_of(*figure, width, 320) : View(false));
  view.set("map", report.component_maps[place] ? view_of(*report.component_maps[place], 480, 330)
                                               : View(false));
  return view;
}

View input_views(const Explanation& explanation) {
  std::vector<const InputShare*> order;
  for (const InputShare& input : explanation.inputs) order.push_back(&input);
  std::stable_sort(order.begin(), order.end(),
                   [](const InputShare* a, const InputShare* b) { return a->total > b->total; });
  List list;
  for (const InputShare* input : order) {
    View view;
    put(view, "name", input->name);
    view.set("is_used", input->is_used);
    put(view, "first_order", percent_text(input->first_order));
    put(view, "total", percent_text(input->total));
    put(view, "first_width", fmt::format("{:.1f}", 100.0 * std::clamp(input->first_order, 0., 1.)));
    put(view, "rest_width",
        fmt::format("{:.1f}", 100.0 * std::clamp(input->total - input->first_order, 0., 1.)));
    list.push_back(std::move(view));
  }
  return list;
}

View parameter_views(const FittedModel& model) {
  List list;
  for (const ParameterValue& parameter : model.named_parameters()) {
    View view;
    put(view, "kernel", parameter.kernel);
    put(view, "column", parameter.column);
    put(view, "name", parameter.name);
    put(view, "value", number_text(parameter.value));
    put(view, "in_data_units",
        parameter.in_data_units ? number_text(*parameter.in_data_units) : "");
    list.push_back(std::move(view));
  }
  return list;
}

View forecast_views(const ReportModel& report) {
  double largest = 0.0;
  for (const ForecastRow& row : report.forecast) {
    largest = std::max({largest, std::abs(row.lower_95), std::abs(row.upper_95)});
  }
  std::vector<double> places;
  for (const ForecastRow& row : report.forecast) places.push_back(row.place);
  const TimeTexts time_text(report.model.data(), places);
  List list;
  for (const ForecastRow& row : report.forecast) {
    View view;
    put(view, "place", time_text(row.place));
    put(view, "mean", aligned_number(row.mean, largest));
    put(view, "interval_50",
        fmt::format("{} to {}", aligned_number(row.lower_50, largest),
                    aligned_number(row.upper_50, largest)));
    put(view, "interval_95",
        fmt::format("{} to {}", aligned_number(row.lower_95, largest),
                    aligned_number(row.upper_95, largest)));
    list.push_back(std::move(view));
  }
  return list;
}

// Inside a script element no "<" may stand, whatever the strings hold.
std::string json_block(const ReportModel& report) {
  std::string out;
  for (const char c : to_json(report).dump(-1, ' ', false, Json::error_handler_t::replace)) {
    out += c == '<' ? std::string("\\u003c") : std::string(1, c);
  }
  return out;
}

void put_model(View& view, const ReportModel& report) {
  const Explanation& explanation = report.explanation;
  const Dataset& data = report.model.data();
  put(view, "target", explanation.target);
  put(view, "inputs",
      is_screened(data) ? fmt::format("{} ({} of {} kept)", name_list(data.input_names(), 8),
                                      data.num_inputs(), data.num_candidates())
                        : name_list(data.input_names(), 8));
  put(view, "num_rows", std::to_string(report.model.num_rows()));
  put(view, "num_inputs",
      data.num_inputs() == 1 ? std::string("one input")
                             : fmt::format("{} inputs", count_word(data.num_inputs())));
  put(view, "lead", report.lead);
  put(view, "summary", explanation.summary);
  view.set("has_summary", !report.lead.ends_with(explanation.summary));
  put(view, "kernel", explanation.kernel);
  put(view, "normal_form", explanation.normal_form);
  view.set("has_normal_form", explanation.normal_form != explanation.kernel);
  put(view, "averaging", explanation.averaging);
  view.set("has_averaging", !explanation.averaging.empty());
  view.set("tree", tree_svg(explanation.decomposition.model()));
  view.set("tiles", tiles(report));
  view.set("cautions", texts(explanation.cautions));
  view.set("has_cautions", !explanation.cautions.empty());
  view.set("parameters", parameter_views(explanation.decomposition.model()));
  put(view, "noise_sd", amount_text(explanation.transform, explanation.noise_sd));
  put(view, "offset", number_text(explanation.offset));
  view.set("is_percent", multiplies(explanation.transform));
  put(view, "joined", multiplies(explanation.transform) ? "product" : "sum");
}

}  // namespace

void put(View& view, const std::string& name, std::string_view text) {
  std::string line = shown(text, max_text);
  view.set(name, set_well(std::move(line)));
}

std::string aligned_number(double value, double largest) {
  const double digits = 3.0 - std::floor(std::log10(std::max(largest, 1e-300)));
  if (digits > 8.0) return number_text(value);
  return with_minus(fmt::format("{:.{}f}", value, static_cast<int>(std::max(digits, 0.0))));
}

TimeTexts::TimeTexts(const Dataset& data, const std::vector<double>& times)
    : type_(data.input_scaling(0).type), date_format_(data.input_scaling(0).date_format) {
  constexpr int most_decimals = 9;
  constexpr double unseen = 0.05;  // of a step, that rounding may move a time by
  const std::vector<double> known = raw_input(data, 0);
  double before = *std::max_element(known.begin(), known.end());
  double step = std::numeric_limits<double>::infinity();
  for (const double time : times) {
    step = std::min(step, time - std::exchange(before, time));
  }
  for (int decimals = 0; decimals <= most_decimals; ++decimals) {
    const double unit = std::pow(10.0, -decimals);
    if (std::all_of(times.begin(), times.end(), [&](double time) {
          return std::abs(std::remainder(time, unit)) <= unseen * step;
        })) {
      decimals_ = decimals;
      return;
    }
  }
}

std::string TimeTexts::operator()(double time) const {
  if (type_ != ColumnType::number || !decimals_) return time_text(type_, time, date_format_);
  return with_minus(fmt::format("{:.{}f}", time, *decimals_));
}

View view_of(const Figure& figure, double width, double height, bool has_names) {
  View view;
  put(view, "id", figure.id);
  put(view, "title", figure.title);
  put(view, "alt", figure.alt);
  view.set("svg", svg_of(figure, {width, height, has_names}));
  List legend;
  const auto key = [&](const std::string& mark, const std::string& label) {
    View entry;
    put(entry, "mark", mark);
    put(entry, "label", label);
    legend.push_back(std::move(entry));
  };
  for (std::size_t i = 0; i < figure.points.size(); ++i) {
    if (!figure.points[i].x.empty()) key(fmt::format("dots-{}", i), figure.points[i].label);
  }
  for (const Figure::Line& line : figure.lines) {
    if (line.stroke == Figure::Stroke::reference) continue;
    key(line.stroke == Figure::Stroke::strong   ? "strong"
        : line.stroke == Figure::Stroke::second ? "second"
                                                : "third",
        line.label);
  }
  for (std::size_t i = figure.bands.size(); i-- > 0;) {
    const std::string& label = figure.bands[i].label;
    key(fmt::format("band-{}", i),
        label.ends_with('%') ? label + " interval" : label + ", from least to most");
  }
  if (figure.data_end) key("future", "forecast");
  if (!figure.far.empty()) key("far", "no rows near");
  if (!figure.rug.empty()) key("rug", "rows");
  view.set("legend", legend);
  return view;
}

View view_of(const HeatMap& map, double width, double height) {
  View view;
  put(view, "id", map.id);
  put(view, "title", map.title);
  put(view, "alt", map.alt);
  put(view, "value_label", map.value_label);
  view.set("svg", svg_of(map, {width, height}));
  return view;
}

std::string report_to_html(const ReportModel& report) {
  View view;
  put_model(view, report);
  const bool is_curve = report.model.data().is_curve();
  view.set("is_curve", is_curve);
  view.set("is_no_curve", !is_curve);
  view.set("has_short_forecast", is_curve && !report.outlook);
  view.set("fit", view_of(report.fit, is_curve ? 960 : 620, is_curve ? 380 : 460));
  view.set("forecast", forecast_views(report));
  List components;
  for (std::size_t i = 0; i < report.components.size(); ++i) {
    components.push_back(component_view(report, i));
  }
  view.set("components", components);
  put(view, "num_components",
      components.size() == 1 ? std::string("one part")
                             : fmt::format("{} parts", count_word(components.size())));
  view.set("has_parts", components.size() > 1);
  view.set("varies", !is_of_constant(report.explanation));
  view.set("has_input_shares", !report.explanation.inputs.empty());
  put(view, "overlap", overlap_text(report.explanation));
  view.set("input_shares", input_views(report.explanation));
  List effects;
  // Names stand above them; one scale for all, at one height on the page.
  for (const Figure& figure : report.main_effects) {
    effects.push_back(view_of(figure, 300, 215, false));
  }
  view.set("main_effects", effects);
  List maps;
  for (const HeatMap& map : report.interactions) maps.push_back(view_of(map, 480, 330));
  view.set("has_interactions", !maps.empty());
  view.set("interactions", maps);
  List residuals;
  for (const Figure& figure : report.residuals) residuals.push_back(view_of(figure, 520, 320));
  view.set("residuals", residuals);
  view.set("model_checks", check_views(report.explanation.checks));
  put(view, "by_folds", is_curve ? "in blocks" : "in random folds");
  put(view, "leave_one_out_r2", percent_text(report.explanation.leave_one_out_r2));
  put(view, "variance", variance_text(report.explanation));
  put(view, "coverage_50", percent_text(report.explanation.coverage_50));
  put(view, "coverage_95", percent_text(report.explanation.coverage_95));
  put(view, "leave_one_out_error",
      amount_text(report.explanation.transform, report.explanation.leave_one_out_error));
  put_forecast(view, report);
  put_search(view, report);
  put(view, "version", version);
  view.set("json", json_block(report));

  kainjow::mustache::mustache page{std::string(report_template())};
  if (!page.is_valid()) throw std::logic_error("the page's template: " + page.error_message());
  return page.render(view);
}

void save_report(const ReportModel& report, const std::string& path) {
  write_whole_file(path, report_to_html(report));
}

}  // namespace covary
