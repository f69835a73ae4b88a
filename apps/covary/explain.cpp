// covary explain: a saved model in English.
#include <memory>
#include <string>

#include <fmt/format.h>

#include <covary/covary.h>

#include "command_line.h"
#include "commands.h"
#include "long_step.h"
#include "terminal.h"
#include "text_plot.h"

namespace covary::app {
namespace {

struct ExplainFlags {
  std::string model;
  ExplainOptions options;
  bool json = false;
  bool plot = false;
  bool no_plot = false;
};

void run_explain(const ExplainFlags& flags) {
  if (flags.plot && (flags.json || flags.no_plot)) {
    throw Error(ErrorKind::usage, flags.json ? "--plot does not go with --json"
                                             : "--plot does not go with --no-plot");
  }
  const Ensemble model = [&] {
    LongStep step(false);
    return load_model(flags.model, step.conditioning());
  }();
  const bool is_curve = model.data().is_curve();
  if (flags.plot && !is_curve && model.data().num_inputs() == 1) {
    throw Error(ErrorKind::usage,
                fmt::format("--plot needs an input of numbers or dates; that of {} is a category",
                            shown_source(flags.model)));
  }
  if (flags.plot && !is_curve) {
    throw Error(ErrorKind::usage,
                fmt::format("--plot needs a model of one input; {} has {}",
                            shown_source(flags.model), model.data().num_inputs()));
  }
  const Explanation explanation = explain(model, flags.options);
  if (flags.json) {
    fmt::print("{}\n", explanation_to_json(explanation));
    return;
  }
  fmt::print("{}", to_string(explanation));
  const TerminalSize terminal = stdout_terminal();
  if (is_curve && !flags.no_plot && (flags.plot || terminal.is_terminal)) {
    fmt::print("\n{}", text_plot(explanation.decomposition.model(), terminal));
  }
}

}  // namespace

void add_explain(CLI::App& app) {
  CLI::App* command = app.add_subcommand("explain", "Explain a model in English.");
  const auto flags = std::make_shared<ExplainFlags>();
  command->add_option("MODEL", flags->model, "Model file.")->required();
  add_seed(*command, flags->options.seed,
           "Seed of the draws behind p-values and of random folds. Default: 1.");
  command->add_flag("--json", flags->json, "Print one JSON object.");
  command->add_flag("--plot", flags->plot,
                    "Draw the fit in characters even where stdout is no terminal (one input).");
  command->add_flag("--no-plot", flags->no_plot, "Do not draw the fit.");
  command->callback([flags] { run_explain(*flags); });
}

}  // namespace covary::app
