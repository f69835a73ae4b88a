// covary predict: a saved model's predictions for the rows of a table.
#include <algorithm>
#include <memory>
#include <optional>
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

Ensemble loaded(const std::string& path, bool is_quiet) {
  LongStep step(is_quiet);
  return load_model(path, step.conditioning());
}

// Rows are predicted and printed by so many at a time: what they need is memory for these.
constexpr std::size_t rows_at_a_time = 20'000;

using Columns = std::vector<std::vector<double>>;

Columns rows_of(const Columns& columns, std::size_t first, std::size_t size) {
  Columns some;
  for (const std::vector<double>& column : columns) {
    const auto begin = column.begin() + static_cast<std::ptrdiff_t>(first);
    some.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(size));
  }
  return some;
}

class PredictionPrinter {
 public:
  PredictionPrinter(const Ensemble& model, const PredictOptions& options)
      : model_(model), options_(options) {
    // In the order of the explanation, so that a number is the same part there and here.
    if (!options.components) return;
    release_interrupts();  // an explanation cannot be stopped by asking
    explanation_.emplace(explain(model, {.num_draws = 0}));
  }

  // Targets are asked for with --score only.
  void print_rows(const Columns& inputs, const std::vector<double>& targets, const LongWork& work) {
    catch_interrupts();
    const Prediction prediction = model_.predict(inputs, work);
    release_interrupts();  // whoever reads the lines may keep us waiting
    // Not before there is something below it.
    if (!has_header_) print_header();
    has_header_ = true;
    print_lines(prediction, inputs, targets);
  }

 private:
  void print_header() const {
    std::string header = "mean,sd,lower,upper";
    if (has_median()) header += ",median";
    for (std::size_t i = 0; explanation_ && i < explanation_->components.size(); ++i) {
      const std::string name = fmt::format("{}: {}", i + 1, explanation_->components[i].kernel);
      header += "," + csv_cell(name + " mean") + "," + csv_cell(name + " sd");
    }
    if (explanation_) header += ",offset";
    if (options_.score) header += ",log_score,crps";
    fmt::print("{}\n", header);
  }

  void print_lines(const Prediction& prediction, const Columns& inputs,
                   const std::vector<double>& targets) const {
    const Prediction::Interval interval = prediction.interval(options_.level);
    std::vector<double> median;
    if (has_median()) median = prediction.quantile(0.5);
    std::vector<Decomposition::Curve> parts;
    std::string offset;  // the same in every row, so that the means add up
    if (explanation_) {
      for (const ExplainedComponent& component : explanation_->components) {
        parts.push_back(explanation_->decomposition.curve(component.index, inputs));
      }
      offset = fmt::format(",{}", explanation_->decomposition.offset());
    }
    std::vector<double> ranked;
    if (options_.score) ranked = crps(prediction, targets);
    for (std::size_t i = 0; i < prediction.mean.size(); ++i) {
      std::string line = fmt::format("{},{},{},{}", prediction.mean[i], prediction.sd[i],
                                     interval.lower[i], interval.upper[i]);
      if (!median.empty()) line += fmt::format(",{}", median[i]);
      for (const Decomposition::Curve& part : parts) {
        line += fmt::format(",{},{}", part.mean[i], part.sd[i]);
      }
      line += offset;
      if (options_.score) {
        line += fmt::format(",{},{}", log_density(prediction, i, targets[i]), ranked[i]);
      }
      fmt::print("{}\n", line);
    }
  }

  // Of a transformed target it is not the mean.
  bool has_median() const {
    return model_.data().target_scaling().transform != TargetTransform::none;
  }

  const Ensemble& model_;
  const PredictOptions& options_;
  std::optional<Explanation> explanation_;
  bool has_header_ = false;
};

// The work of some rows among all.
LongWork work_of(const LongWork& whole, std::size_t first, std::size_t size, std::size_t all) {
  LongWork part = whole;
  if (!whole.progress) return part;
  part.progress = [tell = whole.progress, first, size, all](double share) {
    tell((static_cast<double>(first) + share * static_cast<double>(size)) /
         static_cast<double>(all));
  };
  return part;
}

void print_predictions(const Ensemble& model, const Columns& inputs, const Columns& targets,
                       const PredictOptions& options) {
  PredictionPrinter printer(model, options);
  LongStep step(options.quiet);
  const LongWork work = step.predicting();
  const std::size_t num_rows = inputs[0].size();
  for (std::size_t first = 0; first < num_rows; first += rows_at_a_time) {
    const std::size_t size = std::min(rows_at_a_time, num_rows - first);
    const Columns some_targets = rows_of(targets, first, size);
    printer.print_rows(rows_of(inputs, first, size),
                       some_targets.empty() ? std::vector<double>{} : some_targets.front(),
                       work_of(work, first, size, num_rows));
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
  Columns inputs;
  for (std::size_t i = 0; i < model.data().num_inputs(); ++i) {
    const Scaling& input = model.data().input_scaling(i);
    inputs.push_back(input_values(table, input));
  }
  Columns targets;
  if (options.score) targets.push_back(input_values(table, model.data().target_scaling()));
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
