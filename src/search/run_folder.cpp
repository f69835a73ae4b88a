#include "search/run_folder.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <covary/message_text.h>
#include <covary/model.h>
#include <covary/model_file.h>
#include <covary/option_text.h>
#include <covary/search.h>

#include "evidence/memory.h"
#include "search/ladder.h"
#include "search/run_search.h"
#include "store/model_text.h"
#include "table/column_list.h"
#include "table/rows_fingerprint.h"

namespace covary {
namespace {

// These may change from one part of a run to the next.
const std::array<std::string, 8> may_differ = {"threads",   "max_evaluations", "time_limit",
                                               "finalists", "ensemble",        "average",
                                               "device",    "computed_on"};

// Not a setting that anybody gives, but what --screen came to.
constexpr const char* kept_inputs = "kept_inputs";

std::string model_file_of(const std::string& folder) { return folder + "/model.json"; }

RunHeader header_of(const Dataset& data, const SearchOptions& options, const RunOptions& run) {
  RunHeader header;
  header.seed = options.seed;
  header.data_fingerprint = data.fingerprint();
  header.is_scaled = is_scaled(data);
  header.rows_fingerprint = rows_fingerprint(data);
  header.settings = settings_of(options);
  for (const auto& setting : run.settings) header.settings.push_back(setting);
  if (is_screened(data)) {
    header.settings.emplace_back(kept_inputs, join_column_list(data.input_names()));
  }
  const std::string device = device_used(options, data.num_rows());
  if (device != no_device) header.settings.emplace_back("computed_on", device);
  return header;
}

StoredEvaluation to_stored(const SearchRecord& record, const InputNames& inputs) {
  return {.index = record.index,
          .kernel = to_string(record.kernel, inputs),
          .evidence = record.evidence,
          .wall_seconds = record.wall_seconds,
          .acquisition_seconds = record.acquisition_seconds,
          .origin = record.is_initial ? "initial" : "proposed",
          .predicted_mean = record.predicted_mean,
          .predicted_sd = record.predicted_sd,
          .weights = record.weights};
}

SearchRecord from_stored(const StoredEvaluation& stored, const InputNames& inputs,
                         const std::string& folder) {
  SearchRecord record{.index = stored.index,
                      .kernel = parse_expression(stored.kernel, inputs),
                      .evidence = stored.evidence,
                      .is_initial = stored.origin == "initial",
                      .wall_seconds = stored.wall_seconds,
                      .acquisition_seconds = stored.acquisition_seconds,
                      .predicted_mean = stored.predicted_mean,
                      .predicted_sd = stored.predicted_sd,
                      .weights = stored.weights};
  const Evidence& evidence = record.evidence;
  const std::size_t num_parameters = record.kernel.num_parameters() + 1;
  if (evidence.value && evidence.parameters.size() != num_parameters) {
    throw Error(
        ErrorKind::bad_data,
        fmt::format("the run in {} has {} parameters for {}, which has {}", shown_source(folder),
                    evidence.parameters.size(), covary::quoted(stored.kernel), num_parameters));
  }
  return record;
}

// Runs of format 1 know their table, but neither rows nor scaling. What was found knows them: with
// other numbers, the same parameters have another likelihood.
void check_likelihood(const std::vector<StoredEvaluation>& evaluations, const Dataset& data,
                      const SearchOptions& options, const std::string& folder) {
  constexpr double tolerance = 1e-4;  // far above what another machine changes
  const InputNames inputs = inputs_of(data);
  const auto fitted = std::find_if(evaluations.begin(), evaluations.end(), [](const auto& one) {
    return one.evidence.value && one.evidence.jitter == 0.0;
  });
  if (fitted == evaluations.end()) return;
  const SearchRecord record = from_stored(*fitted, inputs, folder);
  const double then = record.evidence.log_marginal_likelihood;
  try {
    const FittedModel model(record.kernel, record.evidence.parameters,
                            data.with_transform(record.evidence.transform), options.evidence.mean);
    const double now = model.log_marginal_likelihood();
    if (std::abs(now - then) <= tolerance * (1.0 + std::abs(then))) return;
  } catch (const Error&) {  // numbers that the kernel does not go with at all
  }
  throw Error(ErrorKind::bad_data,
              fmt::format("the run in {} was made with other rows of these data or another scaling "
                          "({}); give what it was made with, or replace it with {}",
                          shown_source(folder), option_text("no_scale"), switch_text("force")));
}

// Settings whose defaults have changed since 0.1, and what stood for those that it did not have.
const std::array<std::pair<std::string, std::string>, 9> changed_defaults = {
    {{"transform", "none"},
     {"priors", "paper"},
     {"space", "paper-small"},
     {"operators", "+,*"},
     {"unique", "tree"},
     {"ensemble", "1"},
     {"average", "none"},
     {"fidelity", "exact"},
     {"screen", "none"}}};

std::optional<std::string> value_in(const std::vector<std::pair<std::string, std::string>>& list,
                                    const std::string& name) {
  for (const auto& [each, value] : list) {
    if (each == name) return value;
  }
  return std::nullopt;
}

// A run goes on as it was begun where a default has changed since then. Another value that is asked
// for is refused like any other change.
void keep_old_defaults(const RunHeader& then, const InputNames& inputs, SearchOptions& options) {
  if (!value_in(then.settings, "fidelity")) options.fidelity = Fidelity::exact;
  if (!value_in(then.settings, "screen") && !options.screen) options.screen = 0;
  if (value_in(then.settings, "priors")) return;
  const auto now = settings_of(options);
  const auto defaults = settings_of(SearchOptions{});
  for (const auto& [name, before] : changed_defaults) {
    if (value_in(now, name) != value_in(defaults, name)) continue;
    set_setting(options, name, value_in(then.settings, name).value_or(before));
  }
  if (!options.max_evaluations) {
    options.max_evaluations = num_usual_evaluations(make_search_space(options.space, inputs));
  }
}

// What the run does not name is as it was before there was such a setting.
void leave_out_new_settings(const RunHeader& then, RunHeader& now) {
  std::erase_if(now.settings, [&](const auto& setting) {
    return !value_in(then.settings, setting.first) &&
           std::find(changed_defaults.begin(), changed_defaults.end(), setting) !=
               changed_defaults.end();
  });
}

void check_fit_memory(std::size_t num_rows, std::size_t num_models) {
  check_memory(num_rows, 1, num_models);
}

// The inputs that an earlier part of the run kept, whatever a newer version would keep; without
// such a list, those of the options. Of other data, whose refusal follows, all.
Dataset kept_as(const RunHeader& then, const Dataset& data, const SearchOptions& options) {
  const std::optional<std::string> list = value_in(then.settings, kept_inputs);
  if (!list) return screened(data, options);
  return with_inputs_named(data, split_column_list(*list)).value_or(data);
}

// Leaves in `data` the inputs that the run keeps.
RunStore open_store(Dataset& data, SearchOptions& options, const RunOptions& run) {
  check_options(options);
  check_options(run);
  std::optional<RunStore> old;
  if (run.resume) {
    old.emplace(RunStore::open(run.folder));
    keep_old_defaults(old->header(), inputs_of(data), options);
  }
  data = old ? kept_as(old->header(), data, options) : screened(data, options);
  check_has_end(options, make_search_space(options.space, inputs_of(data)));
  if (options.evidence.transform && !data.has_constant_target()) {  // else it plays no role
    static_cast<void>(data.with_transform(*options.evidence.transform));
  }
  const bool are_all_fitted = ladder_of(data.num_rows(), options).back().judged_rows == 0;
  (are_all_fitted ? check_fit_memory : check_models_memory)(data.num_rows(),
                                                            options.ensemble.value_or(1));
  check_model_size(data, options.ensemble.value_or(1), model_file_of(run.folder));
  RunHeader header = header_of(data, options, run);
  if (!old) return RunStore::create(run.folder, header, run.force);
  leave_out_new_settings(old->header(), header);
  check_matches(old->header(), header, run.folder, may_differ);
  if (!old->header().rows_fingerprint) {
    check_likelihood(old->evaluations(), data, options, run.folder);
  }
  return std::move(*old);
}

// The rows that were kept from the search, with the inputs that it keeps.
std::optional<Dataset> with_inputs_of(const Dataset& data, const std::optional<Dataset>& holdout) {
  if (!holdout || holdout->num_inputs() == data.num_inputs()) return holdout;
  return with_inputs_named(*holdout, data.input_names());
}

std::vector<StoredEvaluation> stored_finalists(const SearchResult& result,
                                               const InputNames& inputs) {
  std::vector<StoredEvaluation> finalists;
  for (const Finalist& finalist : result.finalists) {
    finalists.push_back({.index = finalists.size(),
                         .kernel = to_string(finalist.kernel, inputs),
                         .evidence = finalist.evidence,
                         .origin = "final"});
  }
  return finalists;
}

// The ranks of those that cannot be told apart from the best.
std::string undecided_text(const std::vector<Finalist>& finalists) {
  nlohmann::ordered_json ranks = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < finalists.size(); ++i) {
    if (finalists[i].is_undecided) ranks.push_back(i);
  }
  return ranks.dump();
}

std::string holdout_text(const HoldoutFigures& figures) {
  const nlohmann::ordered_json object = {{"rows", figures.rows},
                                         {"rmse", figures.rmse},
                                         {"nll", figures.nll},
                                         {"coverage_95", figures.coverage},
                                         {"rmse_standardised", figures.rmse_standardised},
                                         {"nll_standardised", figures.nll_standardised}};
  return object.dump();
}

}  // namespace

RunFolder::RunFolder(const Dataset& data, SearchOptions options, RunOptions run)
    : run_(std::move(run)),
      options_(std::move(options)),
      data_(data),
      store_(open_store(data_, options_, run_)),
      inputs_(inputs_of(data_)),
      keeper_(*this) {
  run_.holdout = with_inputs_of(data_, run_.holdout);
}

void RunFolder::Keeper::evaluated(const SearchRecord& record) {
  folder_.store_.add(to_stored(record, folder_.inputs_));
}

SearchStart RunFolder::start() {
  SearchStart start;
  for (const StoredEvaluation& stored : store_.evaluations()) {
    SearchRecord record = from_stored(stored, inputs_, run_.folder);
    if (!start.transform) start.transform = record.evidence.transform;
    start.wall_seconds = std::max(start.wall_seconds, record.wall_seconds);
    start.done.emplace(record.index, std::move(record));
  }
  return start;
}

void RunFolder::finish(SearchResult& result) {
  if (result.end == SearchEnd::interrupted) return;
  std::map<std::string, std::string> facts = {{"finished", std::string(to_string(result.end))},
                                              {"seconds", shown_number(result.seconds)}};
  // Where there is none, not that of an earlier part either.
  facts["expected_gain"] = result.expected_gain ? shown_number(*result.expected_gain) : "";
  facts["undecided"] = undecided_text(result.finalists);
  if (run_.holdout) {
    result.holdout = holdout_figures(result.ensemble.predict_rows(*run_.holdout), *run_.holdout);
    facts["holdout"] = holdout_text(*result.holdout);
  }
  // The facts name the model that belongs to them: who dies between the two leaves a run whose
  // report is refused, not one that is wrong.
  facts["model"] = model_checksum(result.ensemble);
  save_model(result.ensemble, model_file_of(run_.folder), ExistingFile::replace);
  store_.finish(stored_finalists(result, inputs_), facts);
}

SearchResult search_in_folder(const Dataset& data, const SearchOptions& options,
                              const RunOptions& run, const std::vector<SearchObserver*>& observers,
                              const std::atomic<bool>* interrupted) {
  RunFolder folder(data, options, run);
  std::vector<SearchObserver*> all = {&folder.keeper()};
  all.insert(all.end(), observers.begin(), observers.end());
  SearchResult result =
      run_search(folder.data(), folder.options(), folder.start(), all, interrupted);
  folder.finish(result);
  return result;
}

}  // namespace covary
