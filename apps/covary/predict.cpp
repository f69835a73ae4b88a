// covary predict: a saved model's predictions for the rows of a table.
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <covary/covary.h>

#include "command_line.h"
#include "commands.h"
#include "interrupt.h"
#include "long_step.h"
#include "output_file.h"
#include "settings_flags.h"
#include "terminal.h"

namespace covary::app {
namespace {

struct PredictOptions {
  std::string model;
  std::string path;
  std::string output;
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

class PredictionPrinter {
 public:
  PredictionPrinter(const Ensemble& model, const PredictOptions& options, OutputFile& output)
      : model_(model), options_(options), output_(output) {
    // In the order of the explanation, so that a number is the same part there and here.
    if (!options.components) return;
    explanation_.emplace(explain(model, {.num_draws = 0}));
  }

  // Targets are asked for with --score only.
  void print_rows(const Columns& inputs, const std::vector<double>& targets, const LongWork& work) {
    catch_interrupts();
    const Prediction prediction = predicted(inputs, work);
    // Whoever reads the lines may keep us waiting.
    if (output_.is_stdout()) release_interrupts();
    // Not before there is something below it.
    if (!has_header_) print_header();
    has_header_ = true;
    print_lines(prediction, inputs, targets);
  }

 private:
  Prediction predicted(const Columns& inputs, const LongWork& work) {
    try {
      Prediction prediction = model_.predict(inputs, work);
      num_rows_ += inputs.front().size();
      return prediction;
    } catch (const PredictionOverflow& error) {
      throw Error(error.kind(), fmt::format("{}: row {}, {}", shown_source(options_.path),
                                            num_rows_ + error.point() + 1, error.sentence()));
    }
  }

  void print_header() {
    std::string header = "mean,sd,lower,upper";
    if (has_median()) header += ",median";
    for (std::size_t i = 0; explanation_ && i < explanation_->components.size(); ++i) {
      const std::string name = fmt::format("{}: {}", i + 1, explanation_->components[i].kernel);
      header += "," + csv_cell(name + " mean") + "," + csv_cell(name + " sd");
    }
    if (explanation_) header += ",offset";
    if (options_.score) header += ",log_score,crps";
    output_.write_line(header);
  }

  void print_lines(const Prediction& prediction, const Columns& inputs,
                   const std::vector<double>& targets) {
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
      output_.write_line(line);
    }
  }

  // Of a transformed target it is not the mean.
  bool has_median() const {
    return model_.data().target_scaling().transform != TargetTransform::none;
  }

  const Ensemble& model_;
  const PredictOptions& options_;
  OutputFile& output_;
  std::optional<Explanation> explanation_;
  bool has_header_ = false;
  std::size_t num_rows_ = 0;  // that are predicted already
};

// Of which the last rows were read at these shares of the file.
LongWork work_of(const LongWork& whole, double before, double after) {
  LongWork part = whole;
  part.progress = {};
  if (!whole.progress || after == 0.0) return part;  // a pipe
  part.progress = [tell = whole.progress, before, after](double share) {
    tell(before + share * (after - before));
  };
  return part;
}

// What the model needs of the table: its inputs, and the target where it is asked for.
std::vector<Scaling> needed_columns(const Ensemble& model, bool has_target) {
  std::vector<Scaling> columns;
  for (std::size_t i = 0; i < model.data().num_inputs(); ++i) {
    columns.push_back(model.data().input_scaling(i));
  }
  if (has_target) columns.push_back(model.data().target_scaling());
  return columns;
}

void print_predictions(const Ensemble& model, const PredictOptions& options, OutputFile& output) {
  RowReader reader(options.path, options.csv, needed_columns(model, options.score));
  Columns rows = reader.next(rows_at_a_time);
  if (!options.quiet) {
    for (const std::string& note : reader.notes()) print_note(note);
    if (options.components && model.size() > 1) {
      print_note(
          "the parts are those of the likeliest kernel at its likeliest parameters; mean, sd "
          "and intervals are averaged over all");
    }
  }
  PredictionPrinter printer(model, options, output);
  LongStep step(options.quiet);
  const LongWork work = step.predicting();
  double share = 0.0;
  while (!rows.front().empty()) {
    std::vector<double> targets;
    if (options.score) {
      targets = std::move(rows.back());
      rows.pop_back();
    }
    printer.print_rows(rows, targets, work_of(work, share, reader.share_read()));
    if (interrupt_flag().load()) throw Interrupted();
    share = reader.share_read();
    rows = reader.next(rows_at_a_time);
  }
}

double level_of(const std::string& text) {
  double level = 0.0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, level);
  if (error != std::errc() || rest != end || !(level > 0.0 && level < 1.0)) {
    throw Error(ErrorKind::usage,
                fmt::format("--level must be between 0 and 1, not {}; write 0.95 for 95 %",
                            covary::quoted(text)));
  }
  return level;
}

void predict(const PredictOptions& options) {
  if (!options.output.empty()) {
    check_is_none_of(options.output, "--output", {options.model, options.path});
    check_model_path(options.output, ExistingFile::replace);
  }
  catch_interrupts();
  const Ensemble model = loaded(options.model, options.quiet);
  OutputFile output(options.output);
  if (output.is_stdout()) release_interrupts();  // whoever writes the rows may keep us waiting
  print_predictions(model, options, output);
  output.finish();
}

}  // namespace

void add_predict(CLI::App& app) {
  CLI::App* command = app.add_subcommand("predict", "Predict the rows of a CSV file with a model.");
  const auto options = std::make_shared<PredictOptions>();
  command->add_option("MODEL", options->model, "Model file.")->required();
  command
      ->add_option("NEW", options->path,
                   "CSV file with the model's input columns; - is standard input. Read as it "
                   "comes, so a pipe and a file of any length will do.")
      ->required();
  add_named(*command, "--output", options->output, "the name of a file",
            "File for the predictions, which is there once it is whole; standard output if not "
            "given.")
      ->type_name("FILE");
  add_settings(*command, options->csv, csv_settings());
  command
      ->add_option_function<std::string>(
          "--level", [options](const std::string& text) { options->level = level_of(text); },
          "Probability inside lower and upper. Default: 0.95.")
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
