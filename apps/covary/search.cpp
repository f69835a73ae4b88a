// covary search: the best kernel for a table, with everything on the way kept in a run folder.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <covary/covary.h>

#include "command_line.h"
#include "commands.h"
#include "holdout.h"
#include "interrupt.h"
#include "json.h"
#include "likelihood_line.h"
#include "noise_line.h"
#include "progress.h"
#include "run_output.h"
#include "settings_flags.h"
#include "terminal.h"
#include "watch.h"

namespace covary::app {
namespace {

struct SearchCommand {
  std::string path;
  std::string out;
  CsvOptions csv;
  DatasetOptions dataset;
  SplitOptions split;
  SearchOptions search;
  bool resume = false;
  bool force = false;
  bool json = false;
  bool quiet = false;
  bool watch = false;
};

std::string text_of(const std::optional<std::size_t>& number) {
  return number ? std::to_string(*number) : std::string();
}

// How much more probable than this kernel the best one is, the two being equally so before.
std::string odds_text(double difference) {
  constexpr double much = 6.9;  // nats
  if (difference == 0.0) return "";
  if (difference > much) return "over 1000 : 1";
  return fmt::format("{:.3g} : 1", std::exp(difference));
}

void print_json(const SearchCommand& command, const SearchResult& result, const std::string& folder,
                bool has_report) {
  const InputNames inputs = inputs_of(result.model.data());
  const std::size_t n = result.model.data().num_rows();
  Json history = Json::array();
  Json best_so_far = nullptr;
  std::size_t rows = 0;  // values on other rows do not compare
  for (const SearchRecord& record : result.history) {
    if (record.evidence.rows != rows) best_so_far = nullptr;
    rows = record.evidence.rows;
    Json value = nullptr;
    if (record.evidence.value) value = *record.evidence.value / record.evidence.num_rows(n);
    if (!value.is_null() && (best_so_far.is_null() || value > best_so_far)) best_so_far = value;
    history.push_back({{"kernel", to_string(record.kernel, inputs)},
                       {"value_per_row", value},
                       {"rows", record.evidence.rows},
                       {"seconds", record.wall_seconds},
                       {"best_so_far", best_so_far}});
  }
  Json finalists = Json::array();
  for (const Finalist& finalist : result.finalists) {
    finalists.push_back(
        {{"kernel", to_string(finalist.kernel, inputs)},
         {"value", *finalist.evidence.value},
         {"value_per_row", *finalist.evidence.value / finalist.evidence.num_rows(n)},
         {"rows", static_cast<std::size_t>(finalist.evidence.num_rows(n))},
         {"undecided", finalist.is_undecided}});
  }
  Json out = {
      {"kernel", result.kernel},
      {"criterion", to_string(command.search.evidence.criterion)},
      {"value", result.value},
      {"value_per_row", result.value_per_row},
      {"log_structure_prior", result.finalists.front().evidence.log_structure_prior},
      {"transform", to_string(result.model.data().target_scaling().transform)},
      {"inputs", result.model.data().input_names()},
      {"screened_from",
       is_screened(result.model.data()) ? Json(result.model.data().num_candidates()) : Json()},
      {"device", device_used(command.search, n)},
      {"rows", n},
      {"judged_rows", static_cast<std::size_t>(result.finalists.front().evidence.num_rows(n))},
      {"evaluations", result.history.size()},
      {"failed_evaluations", result.failed_evaluations},
      {"end", to_string(result.end)},
      {"expected_gain", result.expected_gain ? Json(*result.expected_gain) : Json()},
      {"seconds", result.seconds},
      {"oracle_seconds", result.oracle_seconds},
      {"acquisition_seconds", result.acquisition_seconds},
      {"seed", result.seed},
      {"run", folder},
      {"report", has_report ? Json(report_path(folder)) : Json()},
      {"fingerprint", result.model.data().fingerprint()},
      {"finalists", finalists},
      {"history", history}};
  if (!result.model.is_exact()) {
    const FittedModel::Interval interval = result.model.log_marginal_likelihood_interval();
    out["log_marginal_likelihood_interval"] = {interval.lower, interval.upper};
  }
  if (result.holdout) out["holdout"] = holdout_json(*result.holdout);
  print_object(out);
}

void print_text(const SearchCommand& command, const SearchResult& result, const std::string& folder,
                bool has_report) {
  const InputNames inputs = inputs_of(result.model.data());
  const std::size_t n = result.model.data().num_rows();
  const double judged = result.finalists.front().evidence.num_rows(n);
  const Criterion criterion = command.search.evidence.criterion;
  fmt::print("{}\n\n", shown(result.kernel, result.kernel.size()));
  fmt::print("{:<24}{:.4f}   ({:.4f} per row{})\n", to_string(criterion), result.value,
             result.value_per_row,
             judged < static_cast<double>(n) ? fmt::format(", on {} of {} rows", judged, n) : "");
  if (const double prior = result.finalists.front().evidence.log_structure_prior; prior != 0.0) {
    fmt::print("{:<24}{:.4f}   (in the {})\n", "prior of the kernel", prior, to_string(criterion));
  }
  if (!result.model.is_exact()) print_likelihood_of_all(result.model);
  print_noise(result.model);
  if (result.finalists.size() > 1) {
    // Kernels last: they can be long.
    std::vector<std::vector<std::string>> rows = {
        {std::string(to_string(criterion)), "per row", "behind", "kernel"}};
    const bool has_odds = is_log_evidence(criterion);
    if (has_odds) rows[0].insert(rows[0].end() - 1, "odds of the best");
    const bool has_rows = result.finalists.back().evidence.num_rows(n) != judged;
    if (has_rows) rows[0].insert(rows[0].begin() + 2, "rows");
    for (std::size_t i = 0; i < result.finalists.size(); ++i) {
      const Finalist& finalist = result.finalists[i];
      const double value = *finalist.evidence.value;
      const double num_rows = finalist.evidence.num_rows(n);
      const double difference = behind(result.finalists, i);
      const bool is_undecided = finalist.is_undecided;
      rows.push_back({fmt::format("{:.2f}", value), fmt::format("{:.4f}", value / num_rows)});
      if (has_rows) rows.back().push_back(fmt::format("{}", num_rows));
      rows.back().push_back(
          fmt::format("{:.2f}{}", difference, is_undecided ? " (undecided)" : ""));
      if (has_odds) rows.back().push_back(is_undecided ? "" : odds_text(difference));
      rows.back().push_back(to_string(finalist.kernel, inputs));
    }
    fmt::print("{}\n", format_table(rows));
    if (std::any_of(result.finalists.begin(), result.finalists.end(),
                    [](const Finalist& finalist) { return finalist.is_undecided; })) {
      fmt::print("undecided: on all {} rows that kernel may be the better one\n", n);
    }
  }
  if (result.holdout) print_holdout(*result.holdout);
  if (const Dataset& data = result.model.data(); is_screened(data)) {
    fmt::print("{} of {} inputs kept: {}\n", data.num_inputs(), data.num_candidates(),
               name_list(data.input_names()));
  }
  fmt::print(
      "{} rows, {} evaluations{} in {:.1f} s; CPU time: {:.1f} s of fits, {:.2f} s of "
      "proposals\n",
      result.model.data().num_rows(), result.history.size(),
      result.failed_evaluations > 0 ? fmt::format(" ({} failed)", result.failed_evaluations) : "",
      result.seconds, result.oracle_seconds, result.acquisition_seconds);
  fmt::print("run and model: {0}/run.sqlite, {0}/model.json\n", folder);
  if (has_report) fmt::print("report: {}\n", report_path(folder));
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void search_command(SearchCommand command) {
  catch_interrupts();
  if (command.resume && command.force) {
    throw Error(ErrorKind::usage, "--resume and --force exclude each other");
  }
  const std::string folder = run_folder_of(command.path, command.out);
  const Table table = read_csv(command.path, command.csv);
  const Dataset data = make_dataset(table, command.dataset);
  if (!command.quiet) {
    for (const std::string& note : table.notes) print_note(note);
    for (const std::string& note : data.notes()) print_note(note);
  }
  const Split split = split_rows(data, command.split);
  const InputNames inputs = inputs_of(data);
  command.search.seed = command.split.seed;
  // Who names them wants them all.
  if (!command.dataset.inputs.empty() && !command.search.screen) command.search.screen = 0;
  RunOptions run{.folder = folder, .resume = command.resume, .force = command.force};
  run.settings = {{"rows", text_of(command.split.rows)},
                  {"holdout", text_of(command.split.holdout)}};
  run.holdout = split.holdout;
  tell_how_to_go_on(run.folder);
  std::unique_ptr<Watch> watch;
  if (command.watch) {
    watch = std::make_unique<Watch>(split.training, command.search);
    print_note(fmt::format("watch the search at {}", watch->address()));
  }
  std::optional<SearchResult> result;
  try {
    std::unique_ptr<Progress> progress;
    std::vector<SearchObserver*> observers;
    if (!command.quiet) {
      progress = std::make_unique<Progress>(inputs, split.training.num_rows(), command.search);
      observers.push_back(progress.get());
    }
    if (watch) observers.push_back(watch.get());
    result = search_in_folder(split.training, command.search, run, observers, &interrupt_flag());
  } catch (const SearchInterrupted&) {
    throw Interrupted();
  }
  if (result->end == SearchEnd::interrupted) throw Interrupted();
  const bool has_report = write_report(run.folder, result->ensemble);
  (command.json ? print_json : print_text)(command, *result, run.folder, has_report);
  static_cast<void>(std::fflush(stdout));
  if (watch && has_report) watch->hand_over(text_of_file(report_path(run.folder)));
}

}  // namespace

void add_search(CLI::App& app) {
  CLI::App* command = app.add_subcommand("search", "Find the best kernel for a table.");
  const auto options = std::make_shared<SearchCommand>();
  command->add_option("DATA", options->path, "CSV file to read; - is standard input.")->required();
  add_preset(*command, options->search);
  add_settings(*command, options->dataset, dataset_settings());
  add_settings(*command, options->csv, csv_settings());
  add_settings(*command, options->split, split_settings());
  add_settings(*command, options->search.space, search_space_settings());
  add_settings(*command, options->search, search_settings());
  add_settings(*command, options->search.evidence, evidence_settings(), {"threads", "time_limit"});
  add_named(*command, "--out", options->out, "the name of a folder",
            "Folder of the run. Default: DATA.covary.")
      ->type_name("FOLDER");
  command->add_flag("--resume", options->resume, "Go on with the run in that folder.");
  command->add_flag("--force", options->force, "Replace the run in that folder.");
  command->add_flag("--json", options->json, "Print one JSON object.");
  command->add_flag("--watch", options->watch,
                    "Show the running search in a browser, on this machine only; the address is "
                    "printed.");
  command->add_flag("--quiet", options->quiet, "No notes and no progress on stderr.");
  command->callback([options] { search_command(*options); });
}

}  // namespace covary::app
