// covary predict: a saved model's predictions for the rows of a table.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <covary/covary.h>

#include "commands.h"
#include "interrupt.h"
#include "long_step.h"
#include "settings_flags.h"
#include "terminal.h"

namespace covary::app {
namespace {

struct PredictOptions {
  std::string model;
  std::string path;
  CsvOptions csv;
  double level = 0.95;
  bool components = false;
  bool score = false;
  bool quiet = false;
};

Prediction predicted(const Ensemble& model, const std::vector<std::vector<double>>& inputs,
                     bool is_quiet) {
  LongStep step(is_quiet);
  return model.predict(inputs, step.predicting());
}

Ensemble loaded(const std::string& path, bool is_quiet) {
  LongStep step(is_quiet);
  return load_model(path, step.conditioning());
}

void print_predictions(const Ensemble& model, const std::vector<std::vector<double>>& inputs,
                       const std::vector<double>& targets, const PredictOptions& options) {
  const Prediction prediction = predicted(model, inputs, options.quiet);
  const Prediction::Interval interval = prediction.interval(options.level);
  std::vector<Decomposition::Curve> parts;
  std::string header = "mean,sd,lower,upper";
  std::vector<double> median;  // of a transformed target it is not the mean
  if (prediction.transform != TargetTransform::none) {
    header += ",median";
    median = prediction.quantile(0.5);
  }
  std::string offset;  // the same in every row, so that the means add up
  release_interrupts();
  if (options.components) {
    // In the order of the explanation, so that a number is the same part there and here.
    const Explanation explanation = explain(model, {.num_draws = 0});
    for (const ExplainedComponent& component : explanation.components) {
      const std::string name = fmt::format("{}: {}", parts.size() + 1, component.kernel);
      header += "," + csv_cell(name + " mean") + "," + csv_cell(name + " sd");
      parts.push_back(explanation.decomposition.curve(component.index, inputs));
    }
    header += ",offset";
    offset = fmt::format(",{}", explanation.decomposition.offset());
  }
  std::vector<double> ranked;
  if (options.score) {
    header += ",log_score,crps";
    ranked = crps(prediction, targets);
  }
  fmt::print("{}\n", header);
  for (std::size_t i = 0; i < prediction.mean.size(); ++i) {
    std::string line = fmt::format("{},{},{},{}", prediction.mean[i], prediction.sd[i],
                                   interval.lower[i], interval.upper[i]);
    if (!median.empty()) line += fmt::format(",{}", median[i]);
    for (const Decomposition::Curve& part : parts) {
      line += fmt::format(",{},{}", part.mean[i], part.sd[i]);
    }
    line += offset;
    if (options.score) {
      line += fmt::format(",{},{}", log_density(prediction, i, targets[i]), ranked[i]);
    }
    fmt::print("{}\n", line);
  }
}

void predict(const PredictOptions& options) {
  if (!(options.level > 0.0 && options.level < 1.0)) {
    throw Error(ErrorKind::usage, fmt::format("--level must be between 0 and 1, not {}; write 0.95 "
                                              "for 95 %",
                                              options.level));
  }
  catch_interrupts();
  const Ensemble model = loaded(options.model, options.quiet);
  const Table table = read_csv(options.path, options.csv);
  std::vector<std::vector<double>> inputs;
  for (std::size_t i = 0; i < model.data().num_inputs(); ++i) {
    const Scaling& input = model.data().input_scaling(i);
    inputs.push_back(input_values(table, input));
  }
  std::vector<double> targets;
  if (options.score) targets = input_values(table, model.data().target_scaling());
  if (!options.quiet) {
    for (const std::string& note : table.notes) print_note(note);
    if (options.components && model.size() > 1) {
      print_note(
          "the parts are those of the likeliest kernel at its likeliest parameters; mean, sd "
          "and intervals are averaged over all");
    }
  }
  print_predictions(model, inputs, targets, options);
}

}  // namespace

void add_predict(CLI::App& app) {
  CLI::App* command = app.add_subcommand("predict", "Predict the rows of a CSV file with a model.");
  const auto options = std::make_shared<PredictOptions>();
  command->add_option("MODEL", options->model, "Model file.")->required();
  command->add_option("NEW", options->path, "CSV file with the model's input columns.")->required();
  add_settings(*command, options->csv, csv_settings());
  command
      ->add_option("--level", options->level, "Probability inside lower and upper. Default: 0.95.")
      ->type_name("P");
  command->add_flag("--components", options->components,
                    "Also mean and sd of each part that explain tells of, and the offset: of a "
                    "model that is not averaged (search --ensemble 1 --average none) the means "
                    "add up to the mean, or to the transformed median of a transformed target.");
  command->add_flag("--score", options->score,
                    "Also how well each row's target was predicted, a column of the same name as "
                    "in training: its log density and the CRPS, in the target's unit.");
  command->add_flag("--quiet", options->quiet, "No notes on stderr.");
  command->callback([options] { predict(*options); });
}

}  // namespace covary::app
