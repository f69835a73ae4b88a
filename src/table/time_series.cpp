#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/message_text.h>
#include <covary/option_text.h>
#include <covary/time_series.h>

#include "table/calendar.h"
#include "table/category.h"
#include "table/column_choice.h"
#include "table/data_notes.h"

namespace covary {
namespace {

bool holds_dates(const Column& column) {
  return column.type == ColumnType::date || column.type == ColumnType::date_time;
}

[[noreturn]] void refuse_time(const Table& table, const std::string& what) {
  throw Error(ErrorKind::bad_data, fmt::format("{}: {}", shown_source(table.source), what));
}

std::vector<std::string> column_names(const std::vector<const Column*>& columns) {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const Column* column : columns) names.push_back(column->name);
  return names;
}

const Column& named_time(const Table& table, const TimeSeriesOptions& options) {
  const Column& column = find_column(table, options.time, "time");
  if (column.name == options.target || column.name == options.group) {
    throw Error(ErrorKind::usage, fmt::format("{}: column {} is the {} already",
                                              option_text("time"), quoted(column.name),
                                              column.name == options.target ? "target" : "group"));
  }
  if (column.type != ColumnType::number && !holds_dates(column)) {
    throw Error(ErrorKind::bad_data,
                fmt::format("{} holds text and cannot be the time{}; write dates as 2024-02-29, or "
                            "numbers",
                            column_place(table, column),
                            why_text(column).empty() ? "" : ": " + why_text(column)));
  }
  return column;
}

// Of a column of text that may have been meant.
std::string why_no_time(const Table& table, const TimeSeriesOptions& options) {
  for (const Column& column : table.columns) {
    if (column.name == options.target || column.name == options.group) continue;
    const std::string why = column.type == ColumnType::text ? why_text(column) : "";
    if (!why.empty()) return fmt::format(": in column {}, {}", quoted(column.name), why);
  }
  return "";
}

// The only column of dates; without one, the only one of numbers that count years, or of numbers.
const Column& choose_time(const Table& table, const TimeSeriesOptions& options) {
  if (!options.time.empty()) return named_time(table, options);
  std::vector<const Column*> dates;
  std::vector<const Column*> years;
  std::vector<const Column*> numbers;
  for (const Column& column : table.columns) {
    if (column.name == options.target || column.name == options.group) continue;
    if (holds_dates(column)) dates.push_back(&column);
    if (column.type != ColumnType::number) continue;
    numbers.push_back(&column);
    if (counts_years(column.values)) years.push_back(&column);
  }
  for (const auto* candidates : {&dates, &years, &numbers}) {
    if (candidates->size() == 1) return *candidates->front();
    if (candidates->empty()) continue;
    throw Error(ErrorKind::usage,
                fmt::format("{}: name the column of times; {} has {}", option_text("time"),
                            shown_source(table.source), name_list(column_names(*candidates))));
  }
  refuse_time(table, fmt::format("there is no column of times{}; a forecast needs one of dates "
                                 "such as 2024-02-29 or 2024-02, or of evenly spaced numbers",
                                 why_no_time(table, options)));
}

Column picked(const Column& column, const std::vector<std::size_t>& rows) {
  Column part;
  part.name = column.name;
  part.type = column.type;
  part.date_format = column.date_format;
  for (const std::size_t row : rows) part.values.push_back(column.values[row]);
  return part;
}

Table table_of(const std::string& source, const Column& time, const Column& target,
               std::vector<std::size_t> rows) {
  std::stable_sort(rows.begin(), rows.end(),
                   [&](std::size_t a, std::size_t b) { return time.values[a] < time.values[b]; });
  Table table;
  table.source = source;
  table.num_rows = rows.size();
  table.columns = {picked(time, rows), picked(target, rows)};
  return table;
}

void note_left_out(const Table& table, const std::vector<const Column*>& used,
                   std::vector<std::string>& notes) {
  std::vector<std::string> left_out;
  for (const Column& column : table.columns) {
    if (std::find(used.begin(), used.end(), &column) == used.end()) left_out.push_back(column.name);
  }
  if (left_out.empty()) return;
  const bool is_one = left_out.size() == 1;
  notes.push_back(fmt::format("column{} {} {} left out: what {} will be is not known",
                              is_one ? "" : "s", name_list(left_out), is_one ? "is" : "are",
                              is_one ? "it" : "they"));
}

void note_dropped(std::size_t num_kept, std::size_t num_rows, std::vector<std::string>& notes) {
  if (num_kept == num_rows) return;
  const std::size_t num_dropped = num_rows - num_kept;
  notes.push_back(fmt::format("{} of {} rows {} missing or infinite values and {} left out",
                              num_dropped, num_rows, num_dropped == 1 ? "has" : "have",
                              num_dropped == 1 ? "is" : "are"));
}

// Of the rows that are kept, whichever series they belong to.
void note_kept_values(const Column& column, const std::vector<std::size_t>& rows, bool is_target,
                      std::vector<std::string>& notes) {
  std::vector<double> values;
  values.reserve(rows.size());
  for (const std::size_t row : rows) values.push_back(column.values[row]);
  note_values(column, values, rows, notes);
  if (is_target) {
    note_constant_target(column, values,
                         rows.size() == column.values.size() ? "row" : "row that is left", notes);
  }
}

// Before the checks of inputs, whose way out is to use other ones.
void check_time(const Table& table, const Column& time) {
  constexpr std::size_t fewest_rows = 3;  // fewer are told of elsewhere
  check_cells(table, time, ", or name another column with " + option_text("time"));
  if (time.values.size() < fewest_rows) return;
  const auto is_there = [](double value) { return std::isfinite(value); };
  const auto first = std::find_if(time.values.begin(), time.values.end(), is_there);
  if (std::any_of(first, time.values.end(),
                  [&](double value) { return is_there(value) && value != *first; })) {
    return;
  }
  throw Error(
      ErrorKind::bad_data,
      fmt::format(
          "{} has {} and cannot be the time; name another one with {}", column_place(table, time),
          first == time.values.end() ? "no value in any row" : "the same value in every row",
          option_text("time")));
}

// The levels of the group by row.
Column group_of(const Table& table, const TimeSeriesOptions& options) {
  const Column& column = find_column(table, options.group, "group");
  if (column.name == options.target) {
    throw Error(ErrorKind::usage, fmt::format("{}: column {} is the target already",
                                              option_text("group"), quoted(column.name)));
  }
  Column group = as_category(column);
  if (group.levels.empty()) {
    throw Error(ErrorKind::bad_data,
                fmt::format("{} has {}, too many series for one table; split the table",
                            column_place(table, column), levels_text(group)));
  }
  if (options.missing == MissingPolicy::reject && group.num_unusable > 0) {
    const auto missing = std::find_if(group.values.begin(), group.values.end(),
                                      [](double level) { return std::isnan(level); });
    const auto row = static_cast<std::size_t>(missing - group.values.begin()) + 1;
    throw Error(ErrorKind::bad_data,
                fmt::format("{}: the cell is empty; fill it in, or drop such rows with {}",
                            place_of(table, {row, table.line_of(row), ""}, group),
                            option_text("missing", "drop")));
  }
  return group;
}

}  // namespace

TimeSeries TimeSeries::first_rows(std::size_t count) const {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return {name, table_of(table.source, time(), target(), rows)};
}

Dataset TimeSeries::dataset(bool is_scaled) const {
  check_time(table, time());
  return make_dataset(table,
                      {.target = target().name, .inputs = {time().name}, .scale = is_scaled});
}

std::vector<TimeSeries> time_series_of(const Table& table, const TimeSeriesOptions& options,
                                       std::vector<std::string>& notes) {
  const std::optional<Column> group =
      options.group.empty() ? std::nullopt : std::optional(group_of(table, options));
  if (options.target.empty() || table.find(options.target) == nullptr) {
    static_cast<void>(make_dataset(table, {.target = options.target}));  // says what is wrong
  }
  const Column& time = choose_time(table, options);
  check_time(table, time);
  // Checks both columns cell by cell, in sentences that name row and line.
  static_cast<void>(make_dataset(
      table, {.target = options.target, .inputs = {time.name}, .missing = options.missing}));
  const Column& target = *table.find(options.target);

  std::vector<std::vector<std::size_t>> rows(group ? group->levels.size() : 1);
  std::vector<std::size_t> kept;
  for (std::size_t row = 0; row < table.num_rows; ++row) {
    const double level = group ? group->values[row] : 0.0;
    if (!std::isfinite(time.values[row]) || !std::isfinite(target.values[row]) ||
        !std::isfinite(level)) {
      continue;
    }
    rows[static_cast<std::size_t>(level)].push_back(row);
    kept.push_back(row);
  }
  note_left_out(table, {&time, &target, group ? table.find(options.group) : &time}, notes);
  note_dropped(kept.size(), table.num_rows, notes);
  if (!group) note_few_rows(kept.size(), notes);
  note_kept_values(time, kept, false, notes);
  note_kept_values(target, kept, true, notes);

  std::vector<TimeSeries> series;
  for (std::size_t level = 0; level < rows.size(); ++level) {
    if (!group) {
      series.push_back({"", table_of(table.source, time, target, std::move(rows[level]))});
      continue;
    }
    const std::string& name = group->levels[level];
    const std::string source = fmt::format("{}, {} {}", table.source, options.group, quoted(name));
    series.push_back({name, table_of(source, time, target, std::move(rows[level]))});
  }
  return series;
}

}  // namespace covary
