// The columns of a table that a model is to predict for.
#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <covary/dataset.h>
#include <covary/error.h>
#include <covary/message_text.h>

#include "table/category.h"
#include "table/cell.h"
#include "table/column_choice.h"
#include "table/iso_date.h"
#include "table/written_date.h"

namespace covary {
namespace {

const Column& needed_column(const Table& table, const std::string& name) {
  if (const Column* column = table.find(name)) return *column;
  const std::vector<std::string> names = names_of(table);
  const std::string nearest = nearest_word(name, names);
  throw Error(
      ErrorKind::bad_data,
      fmt::format("{}: there is no column {}, which the model needs{}; it has {}",
                  shown_source(table.source), quoted(name),
                  nearest.empty() ? "" : fmt::format(" (did you mean {}?)", quoted(nearest)),
                  name_list(names)));
}

void check_all_usable(const Table& table, const Column& column, std::string_view needed) {
  if (column.num_unusable == 0 || !column.first_unusable.has_value()) return;
  const CellNote& cell = *column.first_unusable;
  throw Error(ErrorKind::bad_data,
              fmt::format("{}: {}; a prediction needs {} there", place_of(table, cell, column),
                          cell.text.empty() ? "the cell is empty"
                                            : quoted(cell.text) + " is not a usable value",
                          needed));
}

// The model's levels by name, then those that it has not seen.
std::vector<double> level_indices(const Table& table, const Column& column, const Scaling& input) {
  const Column category = as_category(column);
  check_all_usable(table, category, "a level");
  if (category.levels.empty()) {
    throw Error(
        ErrorKind::bad_data,
        fmt::format("{} has {}, but the model was fitted to a category of {}",
                    column_place(table, column), levels_text(category), input.levels.size()));
  }
  std::map<std::string_view, double> known;
  for (const std::string& level : input.levels) {
    known.emplace(level, static_cast<double>(known.size()));
  }
  std::vector<double> index_of;
  for (const std::string& level : category.levels) {
    index_of.push_back(known.emplace(level, static_cast<double>(known.size())).first->second);
  }
  std::vector<double> values = category.values;
  for (double& value : values) value = index_of[static_cast<std::size_t>(value)];
  return values;
}

std::string_view holding(ColumnType type) {
  switch (type) {
    case ColumnType::text:
      return "text";
    case ColumnType::category:
      return "categories";
    case ColumnType::number:
      return "numbers";
    case ColumnType::date:
    case ColumnType::date_time:
      break;
  }
  return "dates";
}

std::string_view needed_in_place(ColumnType type) {
  return type == ColumnType::date || type == ColumnType::date_time ? "date" : "number";
}

std::string way_to_hold(ColumnType wanted, const Column& column) {
  const bool needs_date = needed_in_place(wanted) == "date";
  std::string way = needs_date ? "; write dates as YYYY-MM-DD" : "";
  if (column.type != ColumnType::text || !column.first_stray) return way;
  const auto& [row, line, text] = *column.first_stray;
  const std::string why = needs_date ? why_not_a_date(text) : why_not_a_number(text);
  const bool says_way = why.find(';') != std::string::npos;
  return fmt::format(": {} in row {} {}{}", quoted(text), row, why, says_way ? "" : way);
}

// The column as dates, or as numbers, where the digits of numbers such as 20241231 can be either
// and the model was fitted to the other.
Column as_fitted(const Table& table, const Column& column, const Scaling& input) {
  Column fitted = column;
  if (input.type == ColumnType::number && column.date_format == compact_format) {
    fitted.type = ColumnType::number;
    for (double& value : fitted.values) value = days_to_compact(value);
  }
  if (input.date_format == compact_format && column.type == ColumnType::number) {
    for (double& value : fitted.values) {
      if (std::isnan(value)) continue;
      if (!is_compact_date(value)) {
        throw Error(ErrorKind::bad_data,
                    fmt::format("{}: {} is not a date; the model was fitted to dates that are "
                                "written {}",
                                column_place(table, column), shown_number(value), compact_format));
      }
      value = compact_to_days(value);
    }
    fitted.type = ColumnType::date;
  }
  // Of dates that say no order of day and month, that of the model's; nothing else may differ.
  const std::string model_format = padded_format(input.date_format);
  const std::string own_format = padded_format(column.date_format);
  const bool is_swapped = with_swapped_order(own_format) == model_format;
  if (column.has_open_day_order && (is_swapped || own_format == model_format)) {
    fitted.conflict.clear();
    if (is_swapped) {
      for (double& value : fitted.values) {
        if (!std::isnan(value)) value = with_swapped_day(column.type, value);
      }
    }
  } else if (is_swapped && fitted.conflict.empty()) {
    fitted.conflict = fmt::format(
        "its dates are read as {}, but the model was fitted to dates that are read as {}; write "
        "them as YYYY-MM-DD",
        column.date_format, input.date_format);
  }
  return fitted;
}

}  // namespace

std::vector<double> input_values(const Table& table, const Scaling& input) {
  const Column& found = needed_column(table, input.name);
  if (input.is_category()) return level_indices(table, found, input);
  Column column = as_fitted(table, found, input);
  if (holding(column.type) != holding(input.type)) {
    // A column of empty cells is of no type.
    if (column.num_unusable == column.values.size()) {
      check_all_usable(table, column, "a " + std::string(needed_in_place(input.type)));
    }
    throw Error(
        ErrorKind::bad_data,
        fmt::format("{} holds {}, but the model was fitted to {}{}", column_place(table, column),
                    holding(column.type), holding(input.type), way_to_hold(input.type, column)));
  }
  check_cells(table, column, "");
  check_all_usable(table, column, "a " + std::string(needed_in_place(input.type)));
  // The same moments in the model's unit.
  double factor = 1.0;
  if (input.type == ColumnType::date_time && column.type == ColumnType::date) {
    factor = seconds_per_day;
  }
  if (input.type == ColumnType::date && column.type == ColumnType::date_time) {
    factor = 1.0 / seconds_per_day;
  }
  for (double& value : column.values) value *= factor;
  return std::move(column.values);
}

}  // namespace covary
