#include "table/category.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include <fmt/format.h>

#include <covary/message_text.h>

#include "table/cell.h"
#include "table/written_date.h"

namespace covary {
namespace {

// Levels of numbers and dates; two values that are written alike are one level.
void take_values_as_levels(Column& column) {
  std::map<double, double> index_of;  // by value, in its order
  for (const double value : column.values) {
    if (std::isfinite(value)) index_of.emplace(value, 0.0);
  }
  if (index_of.size() > Column::max_kept_levels) return;
  for (auto& [value, index] : index_of) {
    std::string name = column.date_format == compact_format
                           ? format_date(column.type, column.date_format, value)
                           : level_name(column.type, value);
    if (column.levels.empty() || column.levels.back() != name) {
      column.levels.push_back(std::move(name));
    }
    index = static_cast<double>(column.levels.size() - 1);
  }
  for (const double value : column.values) {
    column.level_of_row.push_back(std::isfinite(value) ? index_of.at(value)
                                                       : std::numeric_limits<double>::quiet_NaN());
  }
}

std::size_t num_rows_with_level(const std::vector<double>& level_of_row) {
  return static_cast<std::size_t>(std::count_if(level_of_row.begin(), level_of_row.end(),
                                                [](double level) { return !std::isnan(level); }));
}

// Rows that are the only one of their level.
std::size_t num_lonely_rows(const Column& column) {
  std::vector<std::size_t> counts(column.levels.size(), 0);
  for (const double level : column.level_of_row) {
    if (!std::isnan(level)) ++counts[static_cast<std::size_t>(level)];
  }
  return static_cast<std::size_t>(std::count(counts.begin(), counts.end(), std::size_t{1}));
}

}  // namespace

std::string level_name(ColumnType type, double value) {
  return type == ColumnType::number ? shown_number(value) : format_value(type, value);
}

Column as_category(const Column& column) {
  if (column.type == ColumnType::category) return column;
  Column category = column;
  const bool has_texts =
      column.type == ColumnType::text || column.num_stray > 0 || !column.levels.empty();
  if (!has_texts) take_values_as_levels(category);
  category.type = ColumnType::category;
  category.values = std::move(category.level_of_row);
  category.level_of_row.clear();
  category.num_unusable = category.values.size() - num_rows_with_level(category.values);
  category.num_stray = 0;
  category.first_stray.reset();
  category.conflict.clear();
  category.date_format.clear();
  category.has_open_day_order = false;
  return category;
}

bool looks_like_numbers(const Column& column) {
  const auto num_slips = std::count_if(
      column.levels.begin(), column.levels.end(),
      [](const std::string& text) { return why_not_a_number(text) != why_not_a_number("text"); });
  return 2 * static_cast<std::size_t>(num_slips) > column.levels.size();
}

bool is_category_by_itself(const Column& column) {
  if (column.levels.empty() || column.levels.size() > max_levels) return false;
  return 2 * num_lonely_rows(column) < num_rows_with_level(column.level_of_row) &&
         !looks_like_numbers(column);
}

std::string levels_text(const Column& category) {
  if (category.levels.empty()) return fmt::format("more than {} levels", Column::max_kept_levels);
  return fmt::format("{} level{} in {} rows", category.levels.size(),
                     category.levels.size() == 1 ? "" : "s", num_rows_with_level(category.values));
}

}  // namespace covary
