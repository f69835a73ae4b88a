#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <covary/settings.h>

namespace covary {

// Which of the two first numbers of 03/04/2024 is the day. `automatic`: the column decides, or,
// where it leaves it open, points between the numbers.
enum class DayOrder { automatic, day_first, month_first };

struct CsvOptions {
  std::optional<char> separator = {};  // detected when not given
  bool has_header = true;              // otherwise columns are named column_1, column_2, ...
  DayOrder day_order = DayOrder::automatic;
};

const std::vector<Setting<CsvOptions>>& csv_settings();

// What the numbers of a column mean.
enum class ColumnType {
  number,
  date,       // days since 1970-01-01
  date_time,  // seconds since 1970-01-01T00:00:00 (UTC where the cells name an offset)
  text,       // not numbers; no values are kept
  category,   // which of the column's levels, counted from 0
};

std::string to_string(ColumnType type);  // "number", "date", "date_time", "text", "category"

// A value as people read it: a number with up to `digits` significant digits, an ISO date, or an
// ISO date-time to the second.
std::string format_value(ColumnType type, double value, int digits = 6);

// A date, or one with a time of day, as a column of that format has it (Column::date_format); other
// values as format_value() has them.
std::string format_date(ColumnType type, const std::string& date_format, double value);

// A text as a cell of a CSV file with commas: in quotes where it needs them.
std::string csv_cell(std::string_view text);

// A cell that is worth naming in a message. Rows count data rows from 1, lines count from 1 as
// editors do.
struct CellNote {
  std::size_t row = 0;
  std::size_t line = 0;
  std::string text;  // as in the file, shortened when long
};

struct Column {
  std::string name;
  ColumnType type = ColumnType::number;
  std::vector<double> values;  // empty for text; missing and stray cells are NaN
  // How its dates are written, as in DD.MM.YYYY, YYYY-MM or YYYY-Qq: YYYY is the year, MM or M the
  // month, MMM or MMMM its name, DD or D the day, q the quarter, ww the week of ISO 8601, and all
  // else stands for itself. Empty for 2024-02-29, and of what holds no dates.
  std::string date_format = {};
  // Of dates such as 03/04/2024, no cell of which says whether the day or the month is first: they
  // are read with the day first.
  bool has_open_day_order = false;
  // Of a category, the names of its levels. Of another column with stray cells, or with dates that
  // are not written as ISO 8601 says, what its cells hold, each once and sorted, numbers and ISO
  // dates being written in one way; and which of them each row has, NaN where the cell is missing.
  // Empty for more than max_kept_levels of them.
  std::vector<std::string> levels = {};
  std::vector<double> level_of_row = {};
  static constexpr std::size_t max_kept_levels = 10'000;
  std::size_t num_unusable = 0;  // missing or infinite
  std::optional<CellNote> first_unusable;
  // Cells that are not of the column's type, which is that of the majority, so that a slip of the
  // pen is not taken for a text column. In a text column: its cells of text.
  std::size_t num_stray = 0;
  std::optional<CellNote> first_stray;
  // Why the values cannot be trusted, as a sentence that names two cells; empty if they can. Only
  // using such a column is an error: a reader of the other columns need not mend it.
  std::string conflict;
};

// A table as it stands in a file: every column by name, nothing scaled, nothing dropped.
struct Table {
  // From data row `row` on, every row stands one line below the one before it.
  struct LineStep {
    std::size_t row = 1;
    std::size_t line = 1;
  };

  std::string source;  // the file's name, for messages
  std::size_t num_rows = 0;
  std::vector<Column> columns;
  std::vector<LineStep> line_steps;  // one unless records span lines or lines are blank
  bool header_looks_like_data = false;
  std::vector<std::string> notes;  // what a careful reader should know, one sentence each

  const Column* find(std::string_view name) const;  // nullptr if there is none
  std::size_t line_of(std::size_t row) const;       // 0 for a table that is not from a file
};

// Reads a CSV file (RFC 4180 with comma, semicolon, tab or |; UTF-8; any line ends). Independent of
// the locale. The path - is standard input. Throws Error with a sentence that names file, row and
// column.
Table read_csv(const std::string& path, const CsvOptions& options = {});

// The same from memory; `source` stands for the file's name in messages.
Table read_csv_text(std::string_view text, const std::string& source,
                    const CsvOptions& options = {});

}  // namespace covary
