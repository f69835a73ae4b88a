#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <covary/error.h>
#include <covary/message_text.h>
#include <covary/model_file.h>
#include <covary/option_text.h>
#include <covary/report.h>
#include <covary/version.h>

#include "report/figures.h"
#include "store/model_text.h"
#include "store/run_store.h"

namespace covary {
namespace {

using Json = nlohmann::json;

std::string setting_of(const ReportedSearch& search, const std::string& name) {
  for (const auto& [key, value] : search.settings) {
    if (key == name) return value;
  }
  return {};
}

void set_distances(ReportedSearch& search) {
  for (ReportedFinalist& finalist : search.finalists) {
    const auto best =
        std::find_if(search.finalists.begin(), search.finalists.end(),
                     [&](const ReportedFinalist& other) { return other.rows == finalist.rows; });
    finalist.behind = best->value - finalist.value;
    if (is_log_evidence(search.criterion)) finalist.odds = std::exp(finalist.behind);
  }
}

ReportedKernel from_stored(const StoredEvaluation& stored) {
  return {.index = stored.index,
          .kernel = stored.kernel,
          .evidence = stored.evidence,
          .is_initial = stored.origin == "initial",
          .wall_seconds = stored.wall_seconds,
          .predicted_mean = stored.predicted_mean,
          .predicted_sd = stored.predicted_sd,
          .weights = stored.weights};
}

ReportedKernel from_record(const SearchRecord& record, const InputNames& inputs) {
  return {.index = record.index,
          .kernel = to_string(record.kernel, inputs),
          .evidence = record.evidence,
          .is_initial = record.is_initial,
          .wall_seconds = record.wall_seconds,
          .predicted_mean = record.predicted_mean,
          .predicted_sd = record.predicted_sd,
          .weights = record.weights};
}

void add_history(ReportedSearch& search, ReportedKernel kernel, double acquisition_seconds) {
  search.num_failed += kernel.evidence.value ? 0U : 1U;
  search.fit_seconds += kernel.evidence.seconds;
  search.proposal_seconds += acquisition_seconds;
  search.seconds = std::max(search.seconds, kernel.wall_seconds);
  search.history.push_back(std::move(kernel));
}

// Throws Error where there are none that a report could begin with.
std::vector<ReportedFinalist> finalists_from(const std::vector<StoredEvaluation>& stored,
                                             const std::string& folder) {
  std::vector<ReportedFinalist> finalists;
  for (const StoredEvaluation& finalist : stored) {
    if (finalist.evidence.value)
      finalists.push_back({finalist.kernel, *finalist.evidence.value, finalist.evidence.rows});
  }
  if (finalists.empty() || finalists.size() < stored.size()) {
    throw Error(ErrorKind::bad_data, fmt::format("the run in {} is damaged: its best kernels "
                                                 "cannot be read",
                                                 shown_source(folder)));
  }
  return finalists;
}

// By their ranks; versions before 0.2 have said nothing of it.
void note_undecided(std::vector<ReportedFinalist>& finalists,
                    const std::optional<std::string>& text) {
  const Json ranks = Json::parse(text.value_or("[]"), nullptr, false);
  if (!ranks.is_array()) return;
  for (const Json& rank : ranks) {
    if (!rank.is_number_unsigned()) continue;
    const auto place = rank.get<std::size_t>();
    if (place < finalists.size()) finalists[place].is_undecided = true;
  }
}

std::optional<HoldoutFigures> holdout_from(const std::optional<std::string>& text) {
  Json object = Json::parse(text.value_or(""), nullptr, false);
  if (!object.is_object()) return std::nullopt;
  // Of a row that the model's transform holds for impossible; JSON has no number for that.
  for (const char* name : {"nll", "nll_standardised"}) {
    if (object.contains(name) && object[name].is_null()) {
      object[name] = std::numeric_limits<double>::infinity();
    }
  }
  for (const char* name :
       {"rows", "rmse", "nll", "coverage_95", "rmse_standardised", "nll_standardised"}) {
    if (!object.contains(name) || !object[name].is_number()) return std::nullopt;
  }
  return HoldoutFigures{.rows = object["rows"].get<std::size_t>(),
                        .rmse = object["rmse"].get<double>(),
                        .nll = object["nll"].get<double>(),
                        .coverage = object["coverage_95"].get<double>(),
                        .rmse_standardised = object["rmse_standardised"].get<double>(),
                        .nll_standardised = object["nll_standardised"].get<double>()};
}

std::optional<std::string> fact_of(const RunContents& run, const std::string& name) {
  const auto found = run.facts.find(name);
  return found != run.facts.end() ? std::optional(found->second) : std::nullopt;
}

// Model and facts are two files: a search that was killed between them, or two of them at once, can
// leave a model beside the facts of another.
void check_belongs(const ModelWithChecksum& file, const RunContents& run, const std::string& path) {
  const FittedModel& best = file.model.members().front();
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::bad_data, fmt::format("{}: {}", shown_source(path), what));
  };
  // A model that is kept by some of its rows is known by its checksum below.
  if (best.is_exact() && best.data().fingerprint() != run.header.data_fingerprint) {
    refuse("the model is of other data than the run beside it");
  }
  const std::optional<std::string> checksum = fact_of(run, "model");
  const StoredEvaluation& finalist = run.finalists.front();
  const bool belongs = checksum ? file.checksum == *checksum  // runs of format 1 do not name it
                                : best.kernel_text() == finalist.kernel &&
                                      best.parameters() == finalist.evidence.parameters;
  if (!belongs) {
    refuse("it is not the model that the run beside it ended with; go on with the run with " +
           switch_text("continue"));
  }
}

std::optional<double> number_from(const std::optional<std::string>& text) {
  const Json number = Json::parse(text.value_or(""), nullptr, false);
  return number.is_number() ? std::optional(number.get<double>()) : std::nullopt;
}

ReportedSearch search_of_run(const RunContents& run, const std::string& folder) {
  const std::optional<std::string> finished = fact_of(run, "finished");
  if (!finished) {
    throw Error(ErrorKind::no_input,
                fmt::format("{}: the search has not ended and there is no model to report on; go "
                            "on with it with {}",
                            shown_source(folder), switch_text("continue")));
  }
  ReportedSearch search;
  search.run = folder;
  search.version = run.header.covary_version;
  search.created = run.header.created;
  search.seed = run.header.seed;
  search.fingerprint = run.header.data_fingerprint;
  search.settings = run.header.settings;
  // The header names what is no processor.
  if (setting_of(search, "computed_on").empty()) {
    search.settings.emplace_back("computed_on", no_device);
  }
  const std::optional<Criterion> criterion = criterion_from(setting_of(search, "criterion"));
  const std::optional<SearchEnd> end = search_end_from(*finished);
  if (!criterion || !end) {
    throw Error(ErrorKind::bad_data,
                fmt::format("{}: the run is damaged: it names no criterion or end that is known",
                            shown_source(folder)));
  }
  search.criterion = *criterion;
  search.end = *end;
  for (const StoredEvaluation& stored : run.evaluations) {
    add_history(search, from_stored(stored), stored.acquisition_seconds);
  }
  search.seconds = number_from(fact_of(run, "seconds")).value_or(search.seconds);
  search.expected_gain = number_from(fact_of(run, "expected_gain"));
  search.holdout = holdout_from(fact_of(run, "holdout"));
  search.finalists = finalists_from(run.finalists, folder);
  note_undecided(search.finalists, fact_of(run, "undecided"));
  set_distances(search);
  return search;
}

// What the run says of a forecast; nothing where it was made for none.
std::optional<RunForecast> forecast_of_run(const RunContents& run) {
  const std::optional<std::string> text = fact_of(run, "forecast");
  return text ? forecast_from_text(*text) : std::nullopt;
}

ReportModel report_of(ReportedSearch search, const Ensemble& model, const ExplainOptions& options,
                      const std::optional<RunForecast>& asked = std::nullopt) {
  const bool has_search = !search.finalists.empty();
  const double value = has_search ? search.finalists.front().value
                                  : model.members().front().log_marginal_likelihood();
  const std::size_t num_rows = model.num_rows();
  const std::size_t judged =
      has_search && search.finalists.front().rows > 0 ? search.finalists.front().rows : num_rows;
  ReportModel report{.search = std::move(search),
                     .value = value,
                     .value_per_row = value / static_cast<double>(judged),
                     .model = model,
                     .explanation = explain(model, options)};
  const Explanation& explanation = report.explanation;
  if (asked) report.outlook = reported_forecast(model, *asked);
  const double end = forecast_end(model.data(), report.outlook);
  report.fit = fit_figure(model, explanation, end);
  report.forecast = forecast_rows(model);
  for (std::size_t i = 0; i < explanation.components.size(); ++i) {
    std::optional<HeatMap> map = component_map(explanation, i);
    report.components.push_back(map ? std::nullopt
                                    : std::optional<Figure>(component_figure(explanation, i, end)));
    report.component_maps.push_back(std::move(map));
  }
  if (!explanation.inputs.empty()) {
    const Effects effects(explanation.decomposition);
    report.main_effects = main_effect_figures(explanation, effects);
    report.interactions = interaction_maps(explanation, effects);
  }
  report.residuals = residual_figures(explanation);
  if (has_search) report.progress = progress_figures(report.search, num_rows);
  report.lead = lead_of(report);
  return report;
}

}  // namespace

ReportModel make_report(const std::string& run_folder, const ExplainOptions& options) {
  const RunContents run = RunStore::open_read_only(run_folder).contents();
  ReportedSearch search = search_of_run(run, run_folder);
  const std::string path = run_folder + "/model.json";
  const ModelWithChecksum file = load_model_with_checksum(path);
  check_belongs(file, run, path);
  return report_of(std::move(search), file.model, options, forecast_of_run(run));
}

ReportModel make_report(const std::string& run_folder, const Ensemble& model,
                        const ExplainOptions& options) {
  const RunContents run = RunStore::open_read_only(run_folder).contents();
  ReportedSearch search = search_of_run(run, run_folder);
  check_belongs({model, model_checksum(model)}, run, run_folder);
  return report_of(std::move(search), model, options, forecast_of_run(run));
}

ReportModel make_report(const Ensemble& model, const ExplainOptions& options) {
  ReportedSearch search;
  search.fingerprint = model.data().fingerprint();
  return report_of(std::move(search), model, options);
}

ReportModel make_report(const SearchResult& result, const SearchOptions& search_options,
                        const ExplainOptions& options) {
  const InputNames inputs = inputs_of(result.model.data());
  ReportedSearch search;
  search.version = version;
  search.seed = result.seed;
  search.fingerprint = result.model.data().fingerprint();
  search.settings = settings_of(search_options);
  search.settings.emplace_back("computed_on", device_used(search_options, result.model.num_rows()));
  search.criterion = search_options.evidence.criterion;
  search.end = result.end;
  search.expected_gain = result.expected_gain;
  for (const SearchRecord& record : result.history) {
    add_history(search, from_record(record, inputs), record.acquisition_seconds);
  }
  search.seconds = result.seconds;
  search.holdout = result.holdout;
  for (const Finalist& finalist : result.finalists) {
    search.finalists.push_back(
        {to_string(finalist.kernel, inputs), *finalist.evidence.value, finalist.evidence.rows});
    search.finalists.back().is_undecided = finalist.is_undecided;
  }
  set_distances(search);
  return report_of(std::move(search), result.ensemble, options);
}

}  // namespace covary
