#include "table/column_choice.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/message_text.h>

#include "base/nearest_word.h"
#include "table/cell.h"
#include "table/cell_place.h"
#include "table/iso_date.h"

namespace covary {
namespace {

std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  return names;
}

const Column& find_column(const Table& table, const std::string& name, std::string_view option) {
  if (const Column* column = table.find(name)) return *column;
  const std::vector<std::string> names = names_of(table);
  const std::string nearest = nearest_word(name, names);
  // A table whose first row looks like data has names that nobody would ask for.
  const bool lacks_header = table.header_looks_like_data;
  throw Error(
      ErrorKind::usage,
      fmt::format(
          "{}: no column {} in {}{}; it has {}{}", option, quoted(name), shown_source(table.source),
          nearest.empty() ? "" : fmt::format(" (did you mean {}?)", quoted(nearest)),
          name_list(names), lacks_header ? "; if the first row is data, use --no-header" : ""));
}

std::string place_of(const Table& table, const CellNote& cell, const Column& column) {
  return cell_place(table.source, cell.row, cell.line, column.name);
}

std::string column_place(const Table& table, const Column& column) {
  return fmt::format("{}: column {}", shown_source(table.source), quoted(column.name));
}

bool has_no_value(const Table& table, const Column& column) {
  return column.type != ColumnType::text && column.num_stray == 0 &&
         column.num_unusable == table.num_rows;
}

// What is wrong with a stray cell, as the rest of a sentence.
std::string stray_complaint(const Column& column, const std::string& text) {
  if (column.type != ColumnType::number) return why_not_a_date(text);
  switch (parse_cell(text, DecimalComma::never).kind) {
    case CellKind::date:
    case CellKind::date_time:
    case CellKind::date_time_with_offset:
      return "is a date, not a number";
    default:
      return why_not_a_number(text);
  }
}

// Cells that do not fit are an error, not a missing value: nobody has said that they may go.
void check_cells(const Table& table, const Column& column, std::string_view way_out) {
  if (column.first_stray.has_value()) {
    const CellNote& cell = *column.first_stray;
    const std::string others =
        column.num_stray == 1 ? ""
        : column.num_stray == 2
            ? " (and 1 more cell of the column does not fit)"
            : fmt::format(" (and {} more cells of the column do not fit)", column.num_stray - 1);
    throw Error(
        ErrorKind::bad_data,
        fmt::format("{}: {} {}{}; correct it{}", place_of(table, cell, column), quoted(cell.text),
                    stray_complaint(column, cell.text), others, way_out));
  }
  if (!column.conflict.empty()) {
    throw Error(ErrorKind::bad_data,
                fmt::format("{}: {}", column_place(table, column), column.conflict));
  }
}

const Column& choose_target(const Table& table, const DatasetOptions& options) {
  if (options.target.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("--target: name the column to explain; {} has {}",
                            shown_source(table.source), name_list(names_of(table))));
  }
  const Column& column = find_column(table, options.target, "--target");
  if (column.type == ColumnType::text) {
    throw Error(ErrorKind::bad_data,
                fmt::format("{} holds text{} and cannot be the target; choose a column of numbers",
                            column_place(table, column),
                            column.first_stray.has_value()
                                ? fmt::format(" (row {} has {})", column.first_stray->row,
                                              quoted(column.first_stray->text))
                                : ""));
  }
  if (column.type != ColumnType::number) {
    throw Error(ErrorKind::bad_data,
                fmt::format("{} holds dates and cannot be the target; choose a column of numbers",
                            column_place(table, column)));
  }
  check_cells(table, column, "");
  if (has_no_value(table, column)) {
    throw Error(ErrorKind::bad_data, fmt::format("{} has no value in any row and cannot be the "
                                                 "target",
                                                 column_place(table, column)));
  }
  return column;
}

const Column& choose_input(const Table& table, const std::string& name) {
  const Column& column = find_column(table, name, "--inputs");
  if (column.type == ColumnType::text) {
    const CellNote cell = column.first_stray.value_or(CellNote{});
    throw Error(
        ErrorKind::bad_data,
        fmt::format("{}: {} {}, and most of the column is text; encode it as numbers, or "
                    "leave it out of --inputs",
                    place_of(table, cell, column), quoted(cell.text), why_not_a_number(cell.text)));
  }
  check_cells(table, column, ", or leave the column out of --inputs");
  if (has_no_value(table, column)) {
    throw Error(ErrorKind::bad_data,
                fmt::format("{} has no value in any row; leave it out of --inputs",
                            column_place(table, column)));
  }
  return column;
}

std::vector<const Column*> choose_named_inputs(const Table& table, const DatasetOptions& options) {
  std::vector<const Column*> inputs;
  for (const std::string& name : options.inputs) {
    const Column& column = choose_input(table, name);
    if (column.name == options.target) {
      throw Error(ErrorKind::usage,
                  fmt::format("--inputs: column {} is the target; it cannot be an input as well",
                              quoted(name)));
    }
    if (std::find(inputs.begin(), inputs.end(), &column) != inputs.end()) {
      throw Error(ErrorKind::usage,
                  fmt::format("--inputs: column {} is named twice", quoted(name)));
    }
    inputs.push_back(&column);
  }
  return inputs;
}

std::vector<const Column*> choose_all_inputs(const Table& table, const Column& target,
                                             std::vector<std::string>& notes) {
  std::vector<const Column*> inputs;
  for (const Column& column : table.columns) {
    if (&column == &target) continue;
    if (column.type == ColumnType::text) {
      notes.push_back(fmt::format("column {} holds text and is ignored", quoted(column.name)));
    } else if (has_no_value(table, column)) {
      notes.push_back(
          fmt::format("column {} has no value in any row and is ignored", quoted(column.name)));
    } else {
      check_cells(table, column, ", or name the columns to use with --inputs");
      inputs.push_back(&column);
    }
  }
  return inputs;
}

}  // namespace

ColumnChoice choose_columns(const Table& table, const DatasetOptions& options,
                            std::vector<std::string>& notes) {
  ColumnChoice choice;
  choice.target = &choose_target(table, options);
  choice.inputs_are_named = !options.inputs.empty();
  choice.inputs = choice.inputs_are_named ? choose_named_inputs(table, options)
                                          : choose_all_inputs(table, *choice.target, notes);
  return choice;
}

std::vector<double> input_values(const Table& table, const std::string& name, ColumnType type) {
  const Column* found = table.find(name);
  if (found == nullptr) {
    const std::vector<std::string> names = names_of(table);
    const std::string nearest = nearest_word(name, names);
    throw Error(
        ErrorKind::bad_data,
        fmt::format("{}: there is no column {}, which the model needs{}; it has {}",
                    shown_source(table.source), quoted(name),
                    nearest.empty() ? "" : fmt::format(" (did you mean {}?)", quoted(nearest)),
                    name_list(names)));
  }
  const Column& column = *found;
  const bool is_number = column.type == ColumnType::number;
  if (column.type == ColumnType::text || is_number != (type == ColumnType::number)) {
    throw Error(ErrorKind::bad_data, fmt::format("{} holds {}, but the model was fitted to {}",
                                                 column_place(table, column),
                                                 column.type == ColumnType::text ? "text"
                                                 : is_number                     ? "numbers"
                                                                                 : "dates",
                                                 type == ColumnType::number ? "numbers" : "dates"));
  }
  check_cells(table, column, "");
  if (column.first_unusable.has_value()) {
    const CellNote& cell = *column.first_unusable;
    throw Error(
        ErrorKind::bad_data,
        fmt::format("{}: {}; a prediction needs a number there", place_of(table, cell, column),
                    cell.text.empty() ? "the cell is empty"
                                      : quoted(cell.text) + " is not a usable value"));
  }
  std::vector<double> values = column.values;
  // The same moments in the model's unit.
  double factor = 1.0;
  if (type == ColumnType::date_time && column.type == ColumnType::date) factor = seconds_per_day;
  if (type == ColumnType::date && column.type == ColumnType::date_time) {
    factor = 1.0 / seconds_per_day;
  }
  for (double& value : values) value *= factor;
  return values;
}

}  // namespace covary
