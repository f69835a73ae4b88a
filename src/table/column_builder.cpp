#include "table/column_builder.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <new>
#include <optional>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include <covary/message_text.h>
#include <covary/option_text.h>

#include "table/category.h"
#include "table/cell_place.h"
#include "table/iso_date.h"
#include "table/written_date.h"

namespace covary {
namespace {

constexpr double missing_value = std::numeric_limits<double>::quiet_NaN();

std::size_t index(CellKind kind) { return static_cast<std::size_t>(kind); }

// In full: what is cut would make one level of two. Escapes keep it fit for any file and screen.
std::string level_name_of(std::string_view text) { return shown(text, text.size()); }

// Whether a whole number, an identifier perhaps, is another one as a double.
bool is_rounded(std::string_view text, double value) {
  constexpr double first_gap = 0x1p53;
  if (!(std::abs(value) >= first_gap)) return false;
  text.remove_prefix(std::min(text.find_first_not_of("+-0"), text.size()));
  const bool is_whole = text.find_first_not_of("0123456789") == std::string_view::npos;
  return is_whole && text != fmt::format("{:.0f}", std::abs(value));
}

}  // namespace

ColumnBuilder::Group ColumnBuilder::group_of(CellKind kind) {
  switch (kind) {
    case CellKind::date:
    case CellKind::written_date:
      return Group::date;
    case CellKind::date_time:
    case CellKind::date_time_with_offset:
    case CellKind::written_date_time:
      return Group::date_time;
    default:
      return Group::number;
  }
}

ColumnBuilder::Group ColumnBuilder::group_of(ColumnType type) {
  switch (type) {
    case ColumnType::date:
      return Group::date;
    case ColumnType::date_time:
      return Group::date_time;
    default:
      return Group::number;
  }
}

ColumnType ColumnBuilder::type_of(Group group) {
  switch (group) {
    case Group::date:
      return ColumnType::date;
    case Group::date_time:
      return ColumnType::date_time;
    case Group::number:
      break;
  }
  return ColumnType::number;
}

// A cell that would be text: a date in the column's own format, or that.
Cell ColumnBuilder::read_written_date(std::string_view text, std::size_t row, std::size_t line) {
  const std::optional<WrittenDate> date = parse_written_date(text);
  if (!date) return {CellKind::text};
  // ISO but for a zero or a letter.
  if (date->format == "YYYY-MM-DD" || date->format == "YYYY-MM") {
    has_days_ = has_days_ || date->format == "YYYY-MM-DD";
    return {date->has_time ? CellKind::date_time : CellKind::date, date->value};
  }
  const bool is_first = written_.format.empty();
  if (!is_first && date->format != written_.format) return {CellKind::text};
  if (day_order_ != DayOrder::automatic && date->names_two_numbers) {
    const DayOrderOfCell other =
        day_order_ == DayOrder::day_first ? DayOrderOfCell::month_first : DayOrderOfCell::day_first;
    if (date->order == other) return {CellKind::text};
  }
  written_.format = date->format;
  written_.has_short = written_.has_short || date->has_short;
  written_.has_long_name = written_.has_long_name || date->has_long_name;
  written_.have_two_numbers = date->names_two_numbers;
  const auto note = [&](std::optional<CellNote>& first) {
    if (!first) first = CellNote{row, line, shortened(text)};
  };
  if (date->order == DayOrderOfCell::day_first) note(written_.first_with_day_first);
  if (date->order == DayOrderOfCell::month_first) note(written_.first_with_month_first);
  return {date->has_time ? CellKind::written_date_time : CellKind::written_date, date->value};
}

void ColumnBuilder::note_number(double number) {
  if (!may_be_compact_) return;
  const bool is_first = highest_ == 0.0;  // no such date is
  lowest_ = is_first ? number : std::min(lowest_, number);
  highest_ = is_first ? number : std::max(highest_, number);
  may_be_compact_ = is_compact_date(number);
}

void ColumnBuilder::add(std::string_view text, DecimalComma decimal_comma, std::size_t row,
                        std::size_t line) {
  Cell cell = parse_cell(text, decimal_comma);
  constexpr std::size_t length_of_month = 7;  // 2024-02
  has_days_ = has_days_ || (cell.kind == CellKind::date && trimmed(text).size() != length_of_month);
  if (cell.kind == CellKind::text) cell = read_written_date(trimmed(text), row, line);
  if (counts_[index(cell.kind)]++ == 0) {
    first_cells_.push_back({cell.kind, {row, line, shortened(trimmed(text))}});
  }
  if (!first_rounded_ && cell.kind == CellKind::number && is_rounded(trimmed(text), cell.value)) {
    first_rounded_ = CellNote{row, line, shortened(trimmed(text))};
  }
  const bool is_named = cell.kind == CellKind::text || cell.kind == CellKind::written_date ||
                        cell.kind == CellKind::written_date_time;
  if (is_named && !levels_.is_overfull()) {
    levels_.put(row - num_taken_, level_name_of(trimmed(text)));
  }
  if (cell.kind == CellKind::text || cell.kind == CellKind::missing) return;
  if (group_of(cell.kind) == Group::number) note_number(cell.value);
  add_value(cell, row - num_taken_);
}

void ColumnBuilder::add_value(const Cell& cell, std::size_t row) {
  const Group group = group_of(cell.kind);
  if (values_.empty()) first_group_ = group;
  if (group != first_group_ && groups_.empty()) groups_.assign(values_.size(), first_group_);
  if (values_.size() + 1 < row) values_.resize(row - 1, missing_value);
  values_.push_back(cell.value);
  if (group != first_group_ || !groups_.empty()) {
    groups_.resize(row - 1, first_group_);
    groups_.push_back(group);
  }
}

void ColumnBuilder::reserve(std::size_t num_rows) {
  if (values_.empty()) return;
  try {
    values_.reserve(num_rows);
  } catch (const std::bad_alloc&) {
    // The hint was off; the values may fit all the same.
  } catch (const std::length_error&) {
  }
}

std::size_t ColumnBuilder::count(std::initializer_list<CellKind> kinds) const {
  std::size_t sum = 0;
  for (const CellKind kind : kinds) sum += counts_[index(kind)];
  return sum;
}

std::optional<CellNote> ColumnBuilder::first(std::initializer_list<CellKind> kinds) const {
  const CellNote* found = nullptr;
  for (const FirstCell& cell : first_cells_) {
    for (const CellKind kind : kinds) {
      if (cell.kind == kind && (found == nullptr || cell.note.row < found->row)) {
        found = &cell.note;
      }
    }
  }
  if (found == nullptr) return std::nullopt;
  return *found;
}

ColumnType ColumnBuilder::majority_type() const {
  const std::size_t num_texts = count({CellKind::text});
  const std::size_t num_numbers = count({CellKind::infinite, CellKind::number,
                                         CellKind::number_with_point, CellKind::number_with_comma});
  const std::size_t num_times =
      count({CellKind::date_time, CellKind::date_time_with_offset, CellKind::written_date_time});
  const std::size_t num_dates = count({CellKind::date, CellKind::written_date}) + num_times;
  if (num_texts > num_numbers + num_dates) return ColumnType::text;
  if (num_dates <= num_numbers) return ColumnType::number;
  return num_times > 0 ? ColumnType::date_time : ColumnType::date;
}

std::string ColumnBuilder::conflict_between(CellKind kind, CellKind other_kind,
                                            std::string_view is_kind, std::string_view is_other,
                                            std::string_view advice) const {
  const std::optional<CellNote> cell = first({kind});
  const std::optional<CellNote> other = first({other_kind});
  if (!cell.has_value() || !other.has_value()) return {};
  return fmt::format("{} in {} {}, but {} in {} {}; {}", quoted(cell->text),
                     row_place(cell->row, cell->line), is_kind, quoted(other->text),
                     row_place(other->row, other->line), is_other, advice);
}

// In which order two numbers of a date are to be read, if anything says so.
DayOrder ColumnBuilder::day_order() const {
  if (day_order_ != DayOrder::automatic) return day_order_;
  if (written_.first_with_day_first) return DayOrder::day_first;
  if (written_.first_with_month_first) return DayOrder::month_first;
  return DayOrder::automatic;
}

std::string ColumnBuilder::format_of_dates() const {
  if (count({CellKind::written_date, CellKind::written_date_time}) == 0) {
    return has_days_ || count({CellKind::date}) == 0 ? "" : "YYYY-MM";
  }
  std::string format = written_.format;
  if (written_.have_two_numbers && day_order() == DayOrder::month_first) {
    format = with_swapped_order(format).value_or(format);
  }
  if (written_.has_short) format = shortest_format(format);
  return written_.has_long_name ? long_name_format(format) : format;
}

// Whether the dates are written in more than one way, or in a way that can be read as two.
std::string ColumnBuilder::conflict_of_dates() const {
  using Kind = CellKind;
  constexpr std::string_view advice = "write all dates of the column in one way";
  for (const Kind written : {Kind::written_date, Kind::written_date_time}) {
    for (const Kind iso : {Kind::date, Kind::date_time, Kind::date_time_with_offset}) {
      std::string conflict = conflict_between(
          written, iso, fmt::format("is read as {}", format_of_dates()), "as YYYY-MM-DD", advice);
      if (!conflict.empty()) return conflict;
    }
  }
  const std::optional<CellNote>& day = written_.first_with_day_first;
  const std::optional<CellNote>& month = written_.first_with_month_first;
  if (day && month) {
    return fmt::format("{} in {} has the day first, but {} in {} the month; {}", quoted(day->text),
                       row_place(day->row, day->line), quoted(month->text),
                       row_place(month->row, month->line), advice);
  }
  if (!written_.have_two_numbers) return {};
  // Where points stand between the numbers, the day is first.
  const bool has_points = written_.format.find('.') != std::string::npos;
  if (has_points && were_taken_with_day_first_ && day_order() == DayOrder::month_first) {
    return fmt::format(
        "{} in {} has the month first, after rows that did not say so and were read with the day "
        "first; say it with {}",
        quoted(month->text), row_place(month->row, month->line),
        option_text("day_order", "month-first"));
  }
  if (has_points || day_order() != DayOrder::automatic) return {};
  const CellNote cell = first({Kind::written_date, Kind::written_date_time}).value_or(CellNote());
  return fmt::format(
      "no date says whether the day or the month is first, such as {} in {}; write dates as "
      "YYYY-MM-DD, or say it with {} ({}) or {} ({})",
      quoted(cell.text), row_place(cell.row, cell.line), option_text("day_order", "day-first"),
      written_.format, option_text("day_order", "month-first"),
      with_swapped_order(written_.format).value_or(""));
}

void ColumnBuilder::make_dates(Column& column) const {
  column.date_format = format_of_dates();
  column.conflict = conflict_of_dates();
  column.has_open_day_order = written_.have_two_numbers && day_order() == DayOrder::automatic &&
                              !column.date_format.empty();
  if (!column.conflict.empty()) return;
  column.conflict = conflict_between(CellKind::date_time_with_offset, CellKind::date_time,
                                     "names its offset from UTC", "does not",
                                     "write all times of the column in one way");
}

// Numbers that all are dates once their digits are read so, and too many to be so by chance.
bool ColumnBuilder::are_compact_dates() const {
  constexpr std::size_t fewest = 3;
  return may_be_compact_ && lowest_ < highest_ &&
         count({CellKind::number, CellKind::number_with_point}) >= fewest;
}

void ColumnBuilder::describe(Column& column) const {
  using Kind = CellKind;
  const auto set_stray = [&](std::initializer_list<Kind> kinds) {
    column.num_stray = count(kinds);
    column.first_stray = first(kinds);
  };
  const auto set_unusable = [&](std::initializer_list<Kind> kinds) {
    column.num_unusable = count(kinds);
    column.first_unusable = first(kinds);
  };
  if (column.type == ColumnType::text) {
    set_unusable({Kind::missing});
    set_stray({Kind::text});
  } else if (column.type == ColumnType::number) {
    set_unusable({Kind::missing, Kind::infinite});
    set_stray({Kind::text, Kind::date, Kind::date_time, Kind::date_time_with_offset,
               Kind::written_date, Kind::written_date_time});
    column.conflict =
        conflict_between(Kind::number_with_comma, Kind::number_with_point, "has a decimal comma",
                         "has a decimal point", "write all numbers of the column in one way");
  } else {
    set_unusable({Kind::missing});
    set_stray({Kind::text, Kind::infinite, Kind::number, Kind::number_with_point,
               Kind::number_with_comma});
    make_dates(column);
  }
}

// Numbers and dates among texts are levels too, written as if all were of their kind.
void ColumnBuilder::keep_levels(Column& column, std::size_t num_rows) {
  for (std::size_t i = 0; i < values_.size() && !levels_.is_overfull(); ++i) {
    if (std::isnan(values_[i]) || levels_.has(i + 1)) continue;
    const Group group = groups_.empty() ? first_group_ : groups_[i];
    levels_.put(i + 1, level_name(type_of(group), values_[i]));
  }
  levels_.take(num_rows, column);
}

// Brings all values to the column's unit and takes out those that are not of its type.
void ColumnBuilder::convert_values(ColumnType type) {
  const Group wanted = group_of(type);
  if (groups_.empty() && first_group_ == wanted) return;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Group group = groups_.empty() ? first_group_ : groups_[i];
    if (group == wanted) continue;
    const bool is_moment = wanted == Group::date_time && group == Group::date;
    values_[i] = is_moment ? values_[i] * seconds_per_day : missing_value;
  }
}

Column ColumnBuilder::take(std::string name, std::size_t num_rows) {
  Column column;
  column.name = std::move(name);
  column.type = majority_type();
  describe(column);
  // The record that has only begun belongs to the next rows.
  std::optional<double> value_of_next;
  const Group group_of_next = groups_.empty() ? first_group_ : groups_.back();
  if (values_.size() > num_rows) {
    value_of_next = values_.back();
    values_.pop_back();
    if (!groups_.empty()) groups_.pop_back();
  }
  const bool has_written_dates = count({CellKind::written_date, CellKind::written_date_time}) > 0 &&
                                 group_of(column.type) != Group::number;
  if (column.num_stray > 0 || has_written_dates) keep_levels(column, num_rows);
  if (column.type != ColumnType::text) {
    convert_values(column.type);
    values_.resize(num_rows, missing_value);
    column.values = std::move(values_);
  }
  if (has_written_dates && day_order() == DayOrder::month_first) {
    for (double& value : column.values) {
      if (!std::isnan(value)) value = with_swapped_day(column.type, value);
    }
  }
  were_taken_with_day_first_ = has_written_dates && day_order() != DayOrder::month_first;
  if (column.type == ColumnType::number && column.num_stray == 0 && are_compact_dates()) {
    column.type = ColumnType::date;
    column.date_format = compact_format;
    for (double& value : column.values) {
      if (!std::isnan(value)) value = compact_to_days(value);
    }
  }
  values_ = {};
  groups_ = {};
  if (value_of_next) values_.push_back(*value_of_next);
  first_group_ = group_of_next;
  num_taken_ += num_rows;
  return column;
}

}  // namespace covary
