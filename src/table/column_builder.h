#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <covary/table.h>

#include "table/cell.h"
#include "table/level_table.h"

namespace covary {

// Gathers the cells of one column and decides what they are. Needs eight bytes for each row once
// there is a number or a date, four once there is a text, and nothing before that; where rows are
// taken out in between, for those that were not.
class ColumnBuilder {
 public:
  explicit ColumnBuilder(DayOrder day_order = DayOrder::automatic) : day_order_(day_order) {}

  // Rows come in order, counted from 1.
  void add(std::string_view text, DecimalComma decimal_comma, std::size_t row, std::size_t line);

  // Room for so many rows, if this looks like a column that needs it.
  void reserve(std::size_t num_rows);

  // The first whole number that double precision has rounded; nothing where all are as written.
  const std::optional<CellNote>& first_rounded() const { return first_rounded_; }

  // The column of the rows since the last call, so many of them: their values, and what all cells
  // up to here say of its type and of what is wrong with it. A cell of the row after them may be
  // there already.
  Column take(std::string name, std::size_t num_rows);

 private:
  enum class Group : std::uint8_t { number, date, date_time };
  struct FirstCell {
    CellKind kind = CellKind::missing;
    CellNote note;
  };

  // What the column's dates in another format than ISO's are like.
  struct WrittenDates {
    std::string format = {};  // of the first; others are texts
    bool has_short = false;   // as WrittenDate has these
    bool has_long_name = false;
    bool have_two_numbers = false;
    std::optional<CellNote> first_with_day_first = {};  // that can be read in no other order
    std::optional<CellNote> first_with_month_first = {};
  };

  static Group group_of(CellKind kind);
  static Group group_of(ColumnType type);
  static ColumnType type_of(Group group);
  Cell read_written_date(std::string_view text, std::size_t row, std::size_t line);
  void note_number(double number);
  bool are_compact_dates() const;
  DayOrder day_order() const;
  std::string format_of_dates() const;
  std::string conflict_of_dates() const;
  void add_value(const Cell& cell, std::size_t row);
  std::size_t count(std::initializer_list<CellKind> kinds) const;
  std::optional<CellNote> first(std::initializer_list<CellKind> kinds) const;
  ColumnType majority_type() const;
  void describe(Column& column) const;
  void make_dates(Column& column) const;
  std::string conflict_between(CellKind kind, CellKind other_kind, std::string_view is_kind,
                               std::string_view is_other, std::string_view advice) const;
  void keep_levels(Column& column, std::size_t num_rows);
  void convert_values(ColumnType type);

  std::size_t num_taken_ = 0;   // rows
  std::vector<double> values_;  // of the rows after these, up to the last with a number or date
  std::vector<Group> groups_;   // of each value; empty while all are of the same one
  Group first_group_ = Group::number;
  std::array<std::size_t, num_cell_kinds> counts_ = {};
  bool has_days_ = false;               // a date that is not just a month
  std::vector<FirstCell> first_cells_;  // of each kind that occurs
  std::optional<CellNote> first_rounded_;
  LevelTable levels_;   // of the texts, and of dates that are not ISO's
  DayOrder day_order_;  // as asked for
  WrittenDates written_;
  bool were_taken_with_day_first_ = false;  // the dates that were handed out
  // Whether all numbers are dates such as 20241231, and which of them differ.
  bool may_be_compact_ = true;
  double lowest_ = 0.0;
  double highest_ = 0.0;
};

}  // namespace covary
