// From a table to the numbers that a model sees: choose columns, treat missing cells, check that
// there is something to learn, scale.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <covary/dataset.h>
#include <covary/error.h>
#include <covary/message_text.h>
#include <covary/option_text.h>

#include "base/checkpoint.h"
#include "base/hash.h"
#include "table/calendar.h"
#include "table/cell_place.h"
#include "table/column_choice.h"
#include "table/data_notes.h"
#include "table/repeated_rows.h"
#include "table/scaling.h"

namespace covary {
namespace {

constexpr std::size_t min_rows = 3;

// The values of a used column in the rows that are kept.
struct KeptColumn {
  const Column* column = nullptr;
  std::vector<double> values;
  std::vector<std::string> levels = {};  // of a category: those that occur in these rows
};

[[noreturn]] void throw_bad_data(const Table& table, const std::string& what) {
  throw Error(ErrorKind::bad_data, fmt::format("{}: {}", shown_source(table.source), what));
}

// Whether all finite values are the same one.
bool is_constant(const std::vector<double>& values) {
  const auto is_usable = [](double value) { return std::isfinite(value); };
  const auto first = std::find_if(values.begin(), values.end(), is_usable);
  return first != values.end() && std::all_of(first, values.end(), [&](double value) {
           return !is_usable(value) || value == *first;
         });
}

const std::string& level_of(const Column& column, double value) {
  return column.levels[static_cast<std::size_t>(value)];
}

// REQUIRES: is_constant(values).
std::string constant_sentence(const Column& column, const std::vector<double>& values,
                              std::string_view where) {
  const auto value = std::find_if(values.begin(), values.end(),
                                  [](double number) { return std::isfinite(number); });
  const std::string what = column.type == ColumnType::number
                               ? fmt::format("value {}", shown_number(*value))
                           : column.type == ColumnType::category
                               ? fmt::format("level {}", quoted(level_of(column, *value)))
                               : "date";
  return fmt::format("column {} has the same {} in every {}", quoted(column.name), what, where);
}

// Whether an input is of use. A useless one is an error if the user has asked for it by name.
bool input_varies(const Table& table, const ColumnChoice& choice, const Column& column,
                  const std::vector<double>& values, std::string_view where,
                  std::vector<std::string>& notes) {
  if (!is_constant(values)) return true;
  const std::string sentence = constant_sentence(column, values, where);
  if (choice.inputs_are_named)
    throw_bad_data(table, sentence + "; leave it out of " + option_text("inputs"));
  notes.push_back(sentence + " and is ignored");
  return false;
}

// The notes say what became of the columns.
void check_has_inputs(const Table& table, bool has_inputs, const std::vector<std::string>& notes) {
  if (has_inputs) return;
  const auto why = std::find_if(notes.begin(), notes.end(), [](const std::string& note) {
    return note.find(" is ignored") != std::string::npos;
  });
  throw_bad_data(table, fmt::format("no input is left{}; besides the target, the table needs a "
                                    "column of numbers, dates or categories that vary",
                                    why == notes.end() ? "" : ": " + *why));
}

std::string unusable_sentence(const Column& column, std::size_t row) {
  const std::string way_out = "or drop such rows with " + option_text("missing", "drop");
  const bool has_note = column.first_unusable.has_value() && column.first_unusable->row == row;
  const std::string text = has_note ? column.first_unusable->text : std::string();
  if (std::isnan(column.values[row - 1])) {
    return text.empty() ? fmt::format("the cell is empty; fill it in, {}", way_out)
                        : fmt::format("{} stands for a missing value; fill it in, {}", quoted(text),
                                      way_out);
  }
  const std::string_view what = text.find_first_of("0123456789") == std::string::npos
                                    ? "is infinite"
                                    : "is too large for a double-precision number";
  return fmt::format("{} {}; correct it, {}", text.empty() ? "the value" : quoted(text), what,
                     way_out);
}

std::vector<const Column*> used_columns(const ColumnChoice& choice) {
  std::vector<const Column*> used = choice.inputs;
  used.push_back(choice.target);
  return used;
}

// The rows without missing or infinite values in the used columns, by index.
std::vector<std::size_t> usable_rows(const Table& table, const std::vector<const Column*>& used,
                                     MissingPolicy policy, std::vector<std::string>& notes) {
  std::vector<std::size_t> rows;
  rows.reserve(table.num_rows);
  std::optional<std::size_t> first_dropped;
  for (std::size_t row = 0; row < table.num_rows; ++row) {
    const auto bad = std::find_if(used.begin(), used.end(), [&](const Column* column) {
      return !std::isfinite(column->values[row]);
    });
    if (bad == used.end()) {
      rows.push_back(row);
      continue;
    }
    if (policy == MissingPolicy::reject) {
      throw Error(ErrorKind::bad_data, fmt::format("{}: {}",
                                                   cell_place(table.source, row + 1,
                                                              table.line_of(row + 1), (*bad)->name),
                                                   unusable_sentence(**bad, row + 1)));
    }
    if (!first_dropped.has_value()) first_dropped = row + 1;
  }
  if (rows.size() < min_rows) {
    throw_bad_data(table, fmt::format("only {} of {} rows {} a value in every used column; at "
                                      "least {} are needed",
                                      rows.size(), table.num_rows,
                                      rows.size() == 1 ? "has" : "have", min_rows));
  }
  if (first_dropped.has_value()) {
    const std::size_t num_dropped = table.num_rows - rows.size();
    const bool is_one = num_dropped == 1;
    notes.push_back(
        fmt::format("{} of {} rows {} missing or infinite values and {} left out ({}row {})",
                    num_dropped, table.num_rows, is_one ? "has" : "have", is_one ? "is" : "are",
                    is_one ? "" : "the first is ", *first_dropped));
  }
  return rows;
}

void leave_out_unused_levels(KeptColumn& kept) {
  std::map<double, double> new_index;
  for (const double value : kept.values) new_index.emplace(value, 0.0);
  for (auto& [value, index] : new_index) {
    index = static_cast<double>(kept.levels.size());
    kept.levels.push_back(level_of(*kept.column, value));
  }
  for (double& value : kept.values) value = new_index.at(value);
}

KeptColumn keep_rows(const Column& column, const std::vector<std::size_t>& rows) {
  KeptColumn kept{&column, {}};
  kept.values.reserve(rows.size());
  for (const std::size_t row : rows) kept.values.push_back(column.values[row]);
  return kept;
}

std::string fingerprint_of(const KeptColumn& target, const std::vector<KeptColumn>& inputs) {
  Fingerprint fingerprint;
  const auto add = [&](const KeptColumn& kept) {
    fingerprint.add(kept.column->name);
    fingerprint.add(static_cast<std::uint64_t>(kept.column->type));
    for (const std::string& level : kept.levels) fingerprint.add(level);
    for (const double value : kept.values) fingerprint.add(value);
  };
  fingerprint.add(static_cast<std::uint64_t>(target.values.size()));
  fingerprint.add(static_cast<std::uint64_t>(inputs.size()));
  add(target);
  for (const KeptColumn& input : inputs) add(input);
  return fingerprint.digits();
}

void note_repeated_rows(const KeptColumn& target, const std::vector<KeptColumn>& inputs,
                        std::vector<std::string>& notes) {
  std::vector<const std::vector<double>*> columns = {&target.values};
  for (const KeptColumn& input : inputs) columns.push_back(&input.values);
  const std::size_t count = count_repeated_rows(columns);
  if (count == 0) return;
  notes.push_back(fmt::format("{} of {} rows repeat{} an earlier row in every used column", count,
                              target.values.size(), count == 1 ? "s" : ""));
}

// They say the same, whatever is done with them.
void note_equal_inputs(const std::vector<KeptColumn>& inputs, std::vector<std::string>& notes) {
  std::map<std::uint64_t, std::size_t> first_of;  // by a hash of the values
  std::size_t count = 0;
  std::string example;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::uint64_t hash = 0;
    for (const double value : inputs[i].values) {
      hash = combine64(hash, std::bit_cast<std::uint64_t>(value + 0.0));
    }
    const auto [found, is_new] = first_of.emplace(hash, i);
    const KeptColumn& other = inputs[found->second];
    if (is_new || other.column->type != inputs[i].column->type ||
        other.levels != inputs[i].levels || other.values != inputs[i].values) {
      continue;
    }
    if (count++ == 0) {
      example = fmt::format("column {} has the same value as {} in every row",
                            quoted(inputs[i].column->name), quoted(other.column->name));
    }
  }
  if (count == 0) return;
  if (count > 1) example += fmt::format(", and so have {} more with others", count - 1);
  notes.push_back(example + "; one of them would do");
}

Scaling scale_of_category(const KeptColumn& kept) {
  Scaling scaling{kept.column->name, kept.column->type};
  scaling.levels = kept.levels;
  return scaling;
}

// Scales the values in place and says how.
Scaling scale_column(const Table& table, KeptColumn& kept, Scale scale) {
  if (!std::isfinite(scale.factor)) {
    throw_bad_data(table, fmt::format("column {} spans more than a double-precision number can "
                                      "hold; divide it by a large number",
                                      quoted(kept.column->name)));
  }
  if (scale.factor == 0.0) {
    throw_bad_data(table,
                   fmt::format("the values of column {} differ by less than double precision "
                               "can scale; multiply it by a large number",
                               quoted(kept.column->name)));
  }
  Scaling scaling{kept.column->name, kept.column->type, scale.offset, scale.factor};
  for (double& value : kept.values) value = scaling.to_scaled(value);
  return scaling;
}

void check_has_rows(const Table& table) {
  if (table.num_rows >= min_rows) return;
  throw_bad_data(table, fmt::format("the table has {} row{}; at least {} are needed",
                                    table.num_rows, table.num_rows == 1 ? "" : "s", min_rows));
}

void check_size(const Table& table, const Column& column, const std::vector<double>& values,
                bool may_be_empty) {
  if (values.size() == table.num_rows || (may_be_empty && values.empty())) return;
  throw_bad_data(table, fmt::format("column {} has {} values, but the table has {} rows",
                                    quoted(column.name), values.size(), table.num_rows));
}

void check_levels(const Table& table, const Column& column, const std::vector<double>& values) {
  const auto is_level = [&](double value) {
    return std::isnan(value) || (value >= 0.0 && value == std::floor(value) &&
                                 value < static_cast<double>(column.levels.size()));
  };
  const auto bad = std::find_if_not(values.begin(), values.end(), is_level);
  if (bad == values.end()) return;
  throw_bad_data(table,
                 fmt::format("row {} of column {} is {}, which is no level: they are counted "
                             "from 0, and the column has {}",
                             bad - values.begin() + 1, quoted(column.name), shown_number(*bad),
                             column.levels.size()));
}

// A table may have been filled by a program: what every file has by the time that it is read.
void check_form(const Table& table) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Column& column = table.columns[i];
    if (column.name.empty()) {
      throw_bad_data(table, fmt::format("column {} of {} has no name; give it one", i + 1,
                                        table.columns.size()));
    }
    if (!names.insert(column.name).second) {
      throw_bad_data(
          table, fmt::format("there are two columns {}; rename one of them", quoted(column.name)));
    }
    check_size(table, column, column.values, column.type == ColumnType::text);
    check_size(table, column, column.level_of_row, true);
    if (column.type == ColumnType::category) check_levels(table, column, column.values);
    check_levels(table, column, column.level_of_row);
  }
}

}  // namespace

Dataset make_dataset(const Table& table, const DatasetOptions& options) {
  check_settings(options, dataset_settings());
  check_form(table);
  std::vector<std::string> notes;
  ColumnChoice choice = choose_columns(table, options, notes);
  check_has_rows(table);

  // Before rows are dropped, so that a column of no use does not cost rows.
  std::erase_if(choice.inputs, [&](const Column* column) {
    return !input_varies(table, choice, *column, column->values, "row", notes);
  });
  check_has_inputs(table, !choice.inputs.empty(), notes);

  const std::vector<std::size_t> rows =
      usable_rows(table, used_columns(choice), options.missing, notes);
  KeptColumn target = keep_rows(*choice.target, rows);
  note_constant_target(*target.column, target.values,
                       rows.size() == table.num_rows ? "row" : "row that is left", notes);
  std::vector<KeptColumn> inputs;
  for (const Column* column : choice.inputs) {
    StopPoint::pass();
    KeptColumn input = keep_rows(*column, rows);
    if (input_varies(table, choice, *column, input.values, "row that is left", notes)) {
      if (column->type == ColumnType::category) leave_out_unused_levels(input);
      inputs.push_back(std::move(input));
    }
  }
  check_has_inputs(table, !inputs.empty(), notes);

  note_repeated_rows(target, inputs, notes);
  note_few_rows(rows.size(), notes);
  for (const KeptColumn& input : inputs) note_values(*input.column, input.values, rows, notes);
  note_values(*target.column, target.values, rows, notes);
  note_equal_inputs(inputs, notes);
  std::string fingerprint = fingerprint_of(target, inputs);
  const Scale target_scale = is_constant(target.values) ? constant_scale(target.values.front())
                             : options.scale            ? standard_scale(target.values)
                                                        : Scale{};
  Scaling target_scaling = scale_column(table, target, target_scale);
  std::vector<Scaling> input_scalings;
  std::vector<std::vector<double>> input_values;
  for (KeptColumn& input : inputs) {
    StopPoint::pass();
    const bool is_category = input.column->type == ColumnType::category;
    // Hours and days are often numbers of something else where they stand beside other inputs.
    const bool is_alone = inputs.size() == 1;
    const double days = input.column->type == ColumnType::number
                            ? days_a_unit(is_alone ? input.column->name : "", input.values)
                            : 0.0;
    input_scalings.push_back(
        is_category ? scale_of_category(input)
                    : scale_column(table, input,
                                   options.scale ? unit_interval_scale(input.values) : Scale{}));
    input_scalings.back().days_a_unit = days;
    input_scalings.back().date_format = input.column->date_format;
    input_values.push_back(std::move(input.values));
  }
  return {std::move(input_values),   std::move(target.values), std::move(input_scalings),
          std::move(target_scaling), std::move(fingerprint),   std::move(notes)};
}

}  // namespace covary
