// covary evaluate: one kernel's evidence and fit.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <covary/covary.h>

#include "command_line.h"
#include "commands.h"
#include "holdout.h"
#include "interrupt.h"
#include "json.h"
#include "likelihood_line.h"
#include "long_step.h"
#include "noise_line.h"
#include "settings_flags.h"
#include "terminal.h"

namespace covary::app {
namespace {

struct EvaluateOptions {
  std::string path;
  std::string kernel;
  std::string save_model;
  CsvOptions csv;
  DatasetOptions dataset;
  SplitOptions split;
  EvaluationOptions evaluation;
  bool force = false;
  bool json = false;
  bool quiet = false;
};

const char* hessian_word(const Evidence& evidence) {
  return evidence.hessian_repaired ? "repaired" : "positive_definite";
}

const char* laplace_word(const EvidenceOptions& options) {
  return options.laplace == Laplace::consistent ? "consistent" : "reference";
}

void print_json(const EvaluateOptions& options, const FittedModel& model, const Evidence& evidence,
                const std::optional<HoldoutFigures>& holdout) {
  Json parameters = Json::array();
  for (const ParameterValue& parameter : model.named_parameters()) {
    if (parameter.kernel == "noise") continue;
    parameters.push_back({{"kernel", parameter.kernel},
                          {"column", parameter.column},
                          {"name", parameter.name},
                          {"value", parameter.value}});
    if (parameter.in_data_units) parameters.back()["in_data_units"] = *parameter.in_data_units;
  }
  const std::size_t n = model.data().num_rows();
  const double judged = evidence.num_rows(n);
  Json out = {{"kernel", model.kernel_text()},
              {"criterion", to_string(options.evaluation.evidence.criterion)},
              {"value", *evidence.value},
              {"value_per_row", *evidence.value / judged},
              {"log_marginal_likelihood", evidence.log_marginal_likelihood},
              {"log_prior", evidence.log_prior},
              {"log_posterior", evidence.log_posterior},
              {"laplace", laplace_word(options.evaluation.evidence)},
              {"hessian", hessian_word(evidence)},
              {"noise_variance", model.noise_variance()},
              {"parameters", parameters},
              {"rows", n},
              {"judged_rows", static_cast<std::size_t>(judged)},
              {"restarts", evidence.num_starts},
              {"distinct_optima", evidence.num_distinct_optima},
              {"gradient_evaluations", evidence.gradient_evaluations},
              {"seconds", evidence.seconds},
              {"outcome", to_string(evidence.outcome)},
              {"jitter", evidence.jitter},
              {"transform", to_string(evidence.transform)},
              {"seed", options.split.seed},
              {"device", device_used(options.evaluation.evidence.device, n)},
              {"fingerprint", model.data().fingerprint()}};
  add_fields(evidence, out);  // those that have no key of another name
  if (judged < static_cast<double>(n)) {
    const FittedModel::Interval interval = model.log_marginal_likelihood_interval();
    out["log_marginal_likelihood_interval"] = {interval.lower, interval.upper};
  }
  if (holdout) out["holdout"] = holdout_json(*holdout);
  print_object(out);
}

void print_text(const EvaluateOptions& options, const FittedModel& model, const Evidence& evidence,
                const std::optional<HoldoutFigures>& holdout) {
  const std::size_t n = model.data().num_rows();
  const double judged = evidence.num_rows(n);
  const bool has_all = judged == static_cast<double>(n);
  const std::string kernel = model.kernel_text();
  fmt::print("{}\n\n", shown(kernel, kernel.size()));
  fmt::print("{:<24}{:.4f}   ({:.4f} per row{})\n",
             to_string(options.evaluation.evidence.criterion), *evidence.value,
             *evidence.value / judged, has_all ? "" : fmt::format(", on {} of {} rows", judged, n));
  fmt::print("{:<24}{:.4f}{}\n", "log likelihood", evidence.log_marginal_likelihood,
             has_all ? "" : fmt::format("   (of the {} rows)", judged));
  if (!has_all) print_likelihood_of_all(model);
  fmt::print("{:<24}{:.4f}\n", "log prior", evidence.log_prior);
  print_noise(model);
  std::vector<std::vector<std::string>> rows = {
      {"kernel", "input", "parameter", "value", "in data units"}};
  for (const ParameterValue& parameter : model.named_parameters()) {
    rows.push_back({parameter.kernel, parameter.column, parameter.name,
                    fmt::format("{:.6g}", parameter.value)});
    if (parameter.in_data_units)
      rows.back().push_back(fmt::format("{:.6g}", *parameter.in_data_units));
  }
  fmt::print("{}\n", format_table(rows));
  if (holdout) print_holdout(*holdout);
  fmt::print("{} rows, {} starts, {} gradients, {:.2f} s of CPU time: {}\n",
             model.data().num_rows(), evidence.num_starts, evidence.gradient_evaluations,
             evidence.seconds, evidence.message);
}

void evaluate_command(EvaluateOptions options) {
  const Table table = read_csv(options.path, options.csv);
  const Dataset data = make_dataset(table, options.dataset);
  if (!options.quiet) {
    for (const std::string& note : table.notes) print_note(note);
    for (const std::string& note : data.notes()) print_note(note);
  }
  const Split split = split_rows(data, options.split);
  const InputNames inputs = inputs_of(data);
  const Expression kernel = parse_kernel_option(options.kernel, inputs);
  const ExistingFile existing = options.force ? ExistingFile::replace : ExistingFile::keep;
  if (!options.save_model.empty()) {
    check_is_none_of(options.save_model, "--save-model", {options.path});
    check_model_path(options.save_model, existing);
    check_model_size(split.training, 1, options.save_model);
  }
  options.evaluation.evidence.seed = options.split.seed;
  catch_interrupts();  // until then Ctrl-C ends the process at once
  auto step = std::make_unique<LongStep>(options.quiet);
  const Evidence evidence = evaluate(
      split.training, kernel, options.evaluation,
      {.interrupted = &interrupt_flag(), .starting = step->fitting(split.training.num_rows())});
  if (evidence.outcome == FitOutcome::interrupted) throw Interrupted();
  if (!evidence.value) {
    const bool is_memory = evidence.outcome == FitOutcome::out_of_memory;
    throw Error(is_memory ? ErrorKind::memory : ErrorKind::bad_data,
                fmt::format("kernel {}: {}", to_string(kernel, inputs), evidence.message));
  }
  const FittedModel model(kernel, evidence.parameters,
                          split.training.with_transform(evidence.transform),
                          options.evaluation.evidence.mean, step->conditioning());
  std::optional<HoldoutFigures> holdout;
  if (split.holdout) {
    holdout =
        holdout_figures(model.predict_rows(*split.holdout, step->predicting()), *split.holdout);
  }
  step.reset();
  if (!options.save_model.empty()) save_model(model, options.save_model, existing);
  (options.json ? print_json : print_text)(options, model, evidence, holdout);
}

}  // namespace

void add_evaluate(CLI::App& app) {
  CLI::App* command = app.add_subcommand("evaluate", "Fit one kernel and give its evidence.");
  const auto options = std::make_shared<EvaluateOptions>();
  command->add_option("DATA", options->path, "CSV file to read; - is standard input.")->required();
  command->add_option("--kernel", options->kernel, "Kernel expression such as \"LIN + SE*PER\".")
      ->required()
      ->type_name("EXPR");
  // First, so that flags that are given beside it have the last word.
  add_preset(*command, options->evaluation);
  add_settings(*command, options->dataset, dataset_settings());
  add_settings(*command, options->csv, csv_settings());
  add_settings(*command, options->split, split_settings());
  add_settings(*command, options->evaluation, evaluation_settings());
  add_settings(*command, options->evaluation.evidence, evidence_settings());
  add_named(*command, "--save-model", options->save_model, "the name of a file",
            "Write the fitted model to this file.")
      ->type_name("FILE");
  command->add_flag("--force", options->force, "Overwrite the model file.");
  command->add_flag("--json", options->json, "Print one JSON object.");
  command->add_flag("--quiet", options->quiet, "No notes on stderr.");
  command->callback([options] { evaluate_command(*options); });
}

}  // namespace covary::app
