#include "table/column_choice.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/message_text.h>
#include <covary/option_text.h>

#include "table/category.h"
#include "table/cell.h"
#include "table/cell_place.h"
#include "table/written_date.h"

namespace covary {

std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  return names;
}

std::string place_of(const Table& table, const CellNote& cell, const Column& column) {
  return cell_place(table.source, cell.row, cell.line, column.name);
}

std::string column_place(const Table& table, const Column& column) {
  return fmt::format("{}: column {}", shown_source(table.source), quoted(column.name));
}

namespace {

// What is wrong with a stray cell, as the rest of a sentence.
std::string stray_complaint(const Column& column, const std::string& text) {
  if (column.type != ColumnType::number) {
    if (column.date_format.empty()) return why_not_a_date(text);
    return fmt::format("is not a date that is written {} as the others", column.date_format);
  }
  if (parse_written_date(trimmed(text))) return "is a date, not a number";
  switch (parse_cell(text, DecimalComma::never).kind) {
    case CellKind::date:
    case CellKind::date_time:
    case CellKind::date_time_with_offset:
      return "is a date, not a number";
    default:
      return why_not_a_number(text);
  }
}

}  // namespace

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
                fmt::format("{}: {}{}", column_place(table, column), column.conflict, way_out));
  }
}

std::string why_text(const Column& column) {
  if (!column.first_stray) return "";
  const std::string& text = column.first_stray->text;
  const std::string why = looks_like_numbers(column)
                              ? why_not_a_number(text)
                              : "is neither a number nor a date such as 2024-12-31";
  return fmt::format("{} {}", quoted(text), why);
}

namespace {

// A table of one column whose name holds the one that is asked for was hardly meant as one column.
std::string separator_hint(const std::vector<std::string>& names, const std::string& name) {
  if (names.size() != 1 || name.empty()) return "";
  const std::string& header = names.front();
  const std::size_t at = header.find(name);
  if (at == std::string::npos || header == name) return "";
  const char mark = at > 0 ? header[at - 1] : header[at + name.size()];
  if (mark == ' ' || mark == '\t') {
    return "; if blanks separate the columns, write commas in their place";
  }
  if (std::ispunct(static_cast<unsigned char>(mark)) == 0 || mark == '"') return "";
  return fmt::format("; if {} separates the columns, say so with {}", quoted({&mark, 1}),
                     option_text("separator"));
}

}  // namespace

const Column& find_column(const Table& table, const std::string& name, std::string_view option) {
  if (const Column* column = table.find(name)) return *column;
  const std::vector<std::string> names = names_of(table);
  const std::string nearest = nearest_word(name, names);
  // A table whose first row looks like data has names that nobody would ask for.
  const bool lacks_header = table.header_looks_like_data;
  throw Error(
      ErrorKind::usage,
      fmt::format("{}: no column {} in {}{}; it has {}{}{}", option_text(option), quoted(name),
                  shown_source(table.source),
                  nearest.empty() ? "" : fmt::format(" (did you mean {}?)", quoted(nearest)),
                  name_list(names),
                  lacks_header ? "; if the first row is data, use " + switch_text("no_header") : "",
                  separator_hint(names, name)));
}

namespace {

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool has_no_value(const Column& column) {
  return column.type != ColumnType::text && column.num_stray == 0 &&
         std::none_of(column.values.begin(), column.values.end(),
                      [](double value) { return std::isfinite(value); });
}

const Column& choose_target(const Table& table, const DatasetOptions& options) {
  if (options.target.empty()) {
    throw Error(ErrorKind::usage,
                fmt::format("{}: name the column to explain; {} has {}", option_text("target"),
                            shown_source(table.source), name_list(names_of(table))));
  }
  const Column& column = find_column(table, options.target, "target");
  if (column.type == ColumnType::category) {
    throw Error(ErrorKind::bad_data,
                fmt::format("{} is a category and cannot be the target; choose a column of numbers",
                            column_place(table, column)));
  }
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
  if (has_no_value(column)) {
    throw Error(ErrorKind::bad_data, fmt::format("{} has no value in any row and cannot be the "
                                                 "target",
                                                 column_place(table, column)));
  }
  return column;
}

// Whether it could be one if it was named.
bool can_be_named(const Column& category) {
  const std::size_t count = category.levels.size();
  return count > 0 && count <= max_named_levels &&
         count + category.num_unusable < category.values.size();
}

// What a user who has named a column of text as an input has to know, if it is no category.
[[noreturn]] void throw_no_category(const Table& table, const Column& column) {
  if (looks_like_numbers(column)) {
    const CellNote cell = column.first_stray.value_or(CellNote{});
    throw Error(
        ErrorKind::bad_data,
        fmt::format("{}: {} {}, and most of the column is text; correct it, leave it out "
                    "of {}, or name it in {}",
                    place_of(table, cell, column), quoted(cell.text), why_not_a_number(cell.text),
                    option_text("inputs"), option_text("categories")));
  }
  const Column category = as_category(column);
  throw Error(ErrorKind::bad_data,
              fmt::format("{} holds text with {}, too many for a category; leave it out of "
                          "{}{}",
                          column_place(table, column), levels_text(category), option_text("inputs"),
                          can_be_named(category)
                              ? fmt::format(", or name it in {} as well", option_text("categories"))
                              : ""));
}

// A category that somebody has asked for.
void check_named_category(const Table& table, const Column& category) {
  if (category.levels.empty() || category.levels.size() > max_named_levels) {
    throw Error(
        ErrorKind::bad_data,
        fmt::format("{} has {}, more than the {} of a category; leave it out, or join "
                    "levels",
                    column_place(table, category), levels_text(category), max_named_levels));
  }
  if (category.levels.size() + category.num_unusable == table.num_rows) {
    throw Error(ErrorKind::bad_data,
                fmt::format("{} has another level in every row, from which nothing can be learnt "
                            "as a category; leave it out",
                            column_place(table, category)));
  }
}

void check_category_names(const Table& table, const DatasetOptions& options) {
  for (const std::string& name : options.categories) {
    find_column(table, name, "categories");
    if (name == options.target) {
      throw Error(ErrorKind::usage,
                  fmt::format("{}: column {} is the target, which has to be numbers",
                              option_text("categories"), quoted(name)));
    }
    const bool is_left_out = !options.inputs.empty() && !contains(options.inputs, name);
    if (is_left_out) {
      throw Error(ErrorKind::usage,
                  fmt::format("{}: column {} is not among {}; name it there too",
                              option_text("categories"), quoted(name), option_text("inputs")));
    }
  }
}

// The input as models take it: the table's column, or a category made of it; nullptr for a text
// that is none.
const Column* input_from(const Table& table, const Column& column, const DatasetOptions& options,
                         std::string_view way_out, ColumnChoice& choice) {
  const bool is_named = contains(options.categories, column.name);
  if (column.type == ColumnType::category || is_named) {
    choice.categories.push_back(as_category(column));
    check_named_category(table, choice.categories.back());
    return &choice.categories.back();
  }
  if (column.type == ColumnType::text) {
    if (!is_category_by_itself(column)) return nullptr;
    choice.categories.push_back(as_category(column));
    return &choice.categories.back();
  }
  check_cells(table, column, way_out);
  return &column;
}

void choose_named_inputs(const Table& table, const DatasetOptions& options, ColumnChoice& choice) {
  std::vector<std::string> chosen;
  for (const std::string& name : options.inputs) {
    const Column& column = find_column(table, name, "inputs");
    if (name == options.target) {
      throw Error(ErrorKind::usage,
                  fmt::format("{}: column {} is the target; it cannot be an input as well",
                              option_text("inputs"), quoted(name)));
    }
    if (contains(chosen, name)) {
      throw Error(ErrorKind::usage,
                  fmt::format("{}: column {} is named twice", option_text("inputs"), quoted(name)));
    }
    if (has_no_value(column)) {
      throw Error(ErrorKind::bad_data,
                  fmt::format("{} has no value in any row; leave it out of {}",
                              column_place(table, column), option_text("inputs")));
    }
    const Column* input = input_from(
        table, column, options, ", or leave the column out of " + option_text("inputs"), choice);
    if (input == nullptr) throw_no_category(table, column);
    chosen.push_back(name);
    choice.inputs.push_back(input);
  }
}

// Four digits in a row, as in "1990H1" and "FY1990".
bool has_year(std::string_view text) {
  std::size_t num_digits = 0;
  for (const char c : text) {
    num_digits = c >= '0' && c <= '9' ? num_digits + 1 : 0;
    if (num_digits == 4) return true;
  }
  return false;
}

std::string ignored_text_note(const Column& column) {
  const Column category = as_category(column);
  if (looks_like_numbers(column) && column.first_stray) {
    return fmt::format("column {} holds text and is ignored: {}", quoted(column.name),
                       why_text(column));
  }
  const std::string what = fmt::format("column {} holds text with {} and is ignored",
                                       quoted(column.name), levels_text(category));
  if (can_be_named(category)) {
    return fmt::format("{}; name it in {} to use it", what, option_text("categories"));
  }
  const bool may_be_dates = column.first_stray && has_year(column.first_stray->text);
  return may_be_dates ? fmt::format("{}: {}", what, why_text(column)) : what;
}

// Whole numbers of a few values may be names of groups: somebody should look.
void note_few_numbers(const Column& column, std::vector<std::string>& notes) {
  constexpr std::size_t fewest = 3;  // between two values every function is a line
  constexpr std::size_t most = 8;
  constexpr std::size_t rows_each = 5;
  if (column.type != ColumnType::number || column.values.size() < fewest * rows_each) return;
  std::set<double> different;
  for (const double value : column.values) {
    if (!std::isfinite(value)) continue;
    if (value != std::floor(value) || different.size() > most) return;
    different.insert(value);
  }
  const std::size_t count = different.size();
  if (count < fewest || count > most || count * rows_each > column.values.size()) return;
  notes.push_back(fmt::format(
      "column {} has {} different whole numbers, taken as numbers; if they are names of groups, "
      "name it in {}",
      quoted(column.name), count, option_text("categories")));
}

void choose_all_inputs(const Table& table, const DatasetOptions& options, ColumnChoice& choice,
                       std::vector<std::string>& notes) {
  for (const Column& column : table.columns) {
    if (&column == choice.target) continue;
    if (has_no_value(column)) {
      notes.push_back(
          fmt::format("column {} has no value in any row and is ignored", quoted(column.name)));
      continue;
    }
    const Column* input =
        input_from(table, column, options,
                   ", or name the columns to use with " + option_text("inputs"), choice);
    if (input == nullptr) {
      notes.push_back(ignored_text_note(column));
      continue;
    }
    note_few_numbers(*input, notes);
    choice.inputs.push_back(input);
  }
}

}  // namespace

ColumnChoice choose_columns(const Table& table, const DatasetOptions& options,
                            std::vector<std::string>& notes) {
  ColumnChoice choice;
  choice.target = &choose_target(table, options);
  choice.inputs_are_named = !options.inputs.empty();
  check_category_names(table, options);
  if (choice.inputs_are_named) {
    choose_named_inputs(table, options, choice);
  } else {
    choose_all_inputs(table, options, choice, notes);
  }
  return choice;
}

}  // namespace covary
