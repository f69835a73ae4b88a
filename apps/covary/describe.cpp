// covary describe: what Covary sees in a table before any model: columns, scaling, notes, and what
// a search would offer for each input.
#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <covary/covary.h>

#include "commands.h"
#include "settings_flags.h"
#include "terminal.h"

namespace covary::app {
namespace {

struct DescribeOptions {
  std::string path;
  CsvOptions csv;
  DatasetOptions dataset;
  SplitOptions split;
  bool json = false;
  bool quiet = false;
};

struct Range {
  double minimum;
  double maximum;
};

// In the user's units, over training and held-out rows alike.
Range raw_range(const Scaling& scaling, std::span<const double> scaled) {
  const auto [low, high] = std::minmax_element(scaled.begin(), scaled.end());
  return {scaling.to_raw(*low), scaling.to_raw(*high)};
}

bool holds_dates(const Scaling& scaling) {
  return scaling.type == ColumnType::date || scaling.type == ColumnType::date_time;
}

std::string date_format_of(const Scaling& scaling) {
  return scaling.date_format.empty() ? "YYYY-MM-DD" : scaling.date_format;
}

// "date (DD.MM.YYYY)"
std::string type_text(const Scaling& scaling) {
  if (!holds_dates(scaling) || scaling.date_format.empty()) return to_string(scaling.type);
  return fmt::format("{} ({})", to_string(scaling.type), scaling.date_format);
}

// Rows of each level, in the order of the levels.
std::vector<std::size_t> rows_by_level(const Scaling& scaling, std::span<const double> values) {
  std::vector<std::size_t> counts(scaling.levels.size(), 0);
  for (const double value : values) ++counts[static_cast<std::size_t>(value)];
  return counts;
}

nlohmann::ordered_json column_json(const Scaling& scaling, std::span<const double> scaled) {
  if (scaling.is_category()) {
    return {{"name", scaling.name},
            {"type", to_string(scaling.type)},
            {"levels", scaling.levels},
            {"rows_by_level", rows_by_level(scaling, scaled)}};
  }
  const Range range = raw_range(scaling, scaled);
  nlohmann::ordered_json out = {{"name", scaling.name},     {"type", to_string(scaling.type)},
                                {"minimum", range.minimum}, {"maximum", range.maximum},
                                {"offset", scaling.offset}, {"factor", scaling.factor}};
  if (holds_dates(scaling)) out["date_format"] = date_format_of(scaling);
  return out;
}

// What a search with `--space auto` makes of the training rows. It keeps all inputs that are named.
struct Offer {
  InputNames inputs;
  SearchSpace space;
  std::vector<std::string> kept;
  std::vector<double> relations;  // of each input to the target

  Offer(const Dataset& training, bool are_inputs_named)
      : inputs(inputs_of(training)),
        space(make_search_space({}, inputs)),
        kept(screened(training, are_inputs_named ? 0 : most_inputs_by_default).input_names()),
        relations(input_relations(training)) {}

  bool is_kept(std::size_t column) const {
    return std::find(kept.begin(), kept.end(), inputs.name(column)) != kept.end();
  }

  const InputTraits& traits(std::size_t column) const { return inputs.traits()[column]; }

  std::vector<std::string> cycles(std::size_t column) const {
    std::vector<std::string> words;
    for (const CalendarUnit unit : traits(column).cycles) words.emplace_back(to_string(unit));
    return words;
  }

  std::vector<std::string> base_kernels(std::size_t column) const {
    std::vector<std::string> names;
    for (const BoundKernel& bound : space.base_kernels) {
      if (bound.column == column) names.emplace_back(bound.kernel->name);
    }
    return names;
  }

  std::vector<std::string> operators() const {
    std::vector<std::string> symbols;
    for (const BoundOperator& bound : space.operators) symbols.push_back(to_string(bound, inputs));
    return symbols;
  }
};

nlohmann::ordered_json input_json(const Dataset& data, std::size_t column, const Offer& offer) {
  nlohmann::ordered_json out = column_json(data.input_scaling(column), data.input(column));
  out["num_values"] = offer.traits(column).num_values;
  out["calendar"] = offer.traits(column).has_calendar;
  out["cycles"] = offer.cycles(column);
  out["base_kernels"] = offer.base_kernels(column);
  out["relation"] = offer.relations[column];
  out["kept"] = offer.is_kept(column);
  return out;
}

void print_json(const Dataset& data, const Split& split, const Offer& offer) {
  nlohmann::ordered_json inputs = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < data.num_inputs(); ++i) {
    inputs.push_back(input_json(data, i, offer));
  }
  const nlohmann::ordered_json out = {
      {"rows", data.num_rows()},
      {"training_rows", split.training.num_rows()},
      {"holdout_rows", split.holdout ? split.holdout->num_rows() : 0},
      {"target", column_json(data.target_scaling(), data.target())},
      {"inputs", inputs},
      {"operators", offer.operators()},
      {"fingerprint", data.fingerprint()},
      {"notes", data.notes()}};
  fmt::print("{}\n", out.dump(2));
}

// The levels with the most rows, and how many there are.
std::vector<std::string> category_row(const Scaling& scaling, std::span<const double> values) {
  constexpr std::size_t max_named = 6;
  const std::vector<std::size_t> counts = rows_by_level(scaling, values);
  std::vector<std::size_t> order(counts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  std::vector<std::string> names;
  names.reserve(order.size());
  for (const std::size_t level : order) {
    names.push_back(fmt::format("{} ({})", shown(scaling.levels[level]), counts[level]));
  }
  return {scaling.name,
          "input",
          to_string(scaling.type),
          "",
          "",
          fmt::format("{} levels: {}", names.size(), name_list(names, max_named))};
}

std::vector<std::string> column_row(const char* role, const Scaling& scaling,
                                    std::span<const double> scaled) {
  if (scaling.is_category()) return category_row(scaling, scaled);
  const Range range = raw_range(scaling, scaled);
  return {
      scaling.name,
      role,
      type_text(scaling),
      format_date(scaling.type, scaling.date_format, range.minimum),
      format_date(scaling.type, scaling.date_format, range.maximum),
      fmt::format("(x − {}) / {:.6g}",
                  format_date(scaling.type, scaling.date_format, scaling.offset), scaling.factor)};
}

// "a calendar that shows the year and the week".
std::string input_words(const Offer& offer, std::size_t column) {
  const InputTraits& traits = offer.traits(column);
  if (traits.kind == InputKind::category) {
    return fmt::format("a category of {} levels", traits.num_values);
  }
  if (!traits.has_calendar) return fmt::format("numbers, {} different", traits.num_values);
  const std::vector<std::string> cycles = offer.cycles(column);
  if (cycles.empty()) return "a calendar that shows no cycle";
  return fmt::format("a calendar that shows the {}", fmt::join(cycles, " and the "));
}

void print_offer(const Dataset& training, const Offer& offer) {
  std::vector<std::vector<std::string>> rows = {{"input", "to a search", "--space auto offers"}};
  for (std::size_t i = 0; i < training.num_inputs(); ++i) {
    rows.push_back({training.input_scaling(i).name, input_words(offer, i),
                    offer.is_kept(i) ? fmt::format("{}", fmt::join(offer.base_kernels(i), ", "))
                                     : "nothing: it says less of the target than others"});
  }
  if (offer.kept.size() < training.num_inputs()) {
    fmt::print(
        "\na search keeps {} of {} inputs, those that say most of {} one by one (--screen)\n",
        offer.kept.size(), training.num_inputs(), shown(training.target_scaling().name));
  }
  fmt::print("\n{}  joined by {}\n", format_table(rows), fmt::join(offer.operators(), ", "));
}

void print_text(const Dataset& data, const Split& split, const Offer& offer,
                const std::string& path) {
  fmt::print("{}: {} rows, {} to explain {}\n", shown_source(path), data.num_rows(),
             data.num_inputs() == 1 ? "1 input" : fmt::format("{} inputs", data.num_inputs()),
             shown(data.target_scaling().name));
  if (split.training.num_rows() < data.num_rows()) {
    fmt::print("{} rows for training, {} held out\n", split.training.num_rows(),
               split.holdout ? split.holdout->num_rows() : 0);
  }
  std::vector<std::vector<std::string>> rows = {
      {"column", "role", "type", "minimum", "maximum", "scaled as"}};
  for (std::size_t i = 0; i < data.num_inputs(); ++i) {
    rows.push_back(column_row("input", data.input_scaling(i), data.input(i)));
  }
  rows.push_back(column_row("target", data.target_scaling(), data.target()));
  fmt::print("\n{}", format_table(rows));
  print_offer(split.training, offer);
  fmt::print("\nfingerprint {}\n", data.fingerprint());
}

void describe(const DescribeOptions& options) {
  const Table table = read_csv(options.path, options.csv);
  const Dataset data = make_dataset(table, options.dataset);
  const Split split = split_rows(data, options.split);
  if (!options.quiet) {
    for (const std::string& note : table.notes) print_note(note);
    for (const std::string& note : data.notes()) print_note(note);
  }
  const Offer offer(split.training, !options.dataset.inputs.empty());
  if (options.json) {
    print_json(data, split, offer);
  } else {
    print_text(data, split, offer, table.source);
  }
}

}  // namespace

void add_describe(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "describe", "Show what Covary reads in a CSV file, and what a search would try.");
  const auto options = std::make_shared<DescribeOptions>();
  command->add_option("DATA", options->path, "CSV file to read; - is standard input.")->required();
  add_settings(*command, options->dataset, dataset_settings());
  add_settings(*command, options->csv, csv_settings());
  add_settings(*command, options->split, split_settings());
  command->add_flag("--json", options->json, "Print one JSON object.");
  command->add_flag("--quiet", options->quiet, "No notes on stderr.");
  command->callback([options] { describe(*options); });
}

}  // namespace covary::app
