#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <covary/table.h>

namespace covary {

// A format of dates is a text such as DD.MM.YYYY: YYYY is the year, MM or M the month, MMM or MMMM
// its English name, DD or D the day, q the quarter, ww the week of ISO 8601; all else stands for
// itself. That of ISO dates to the day is empty.

// Which of two numbers below 13 is the day, where a format says both.
enum class DayOrderOfCell : std::uint8_t { open, day_first, month_first };

// A date as a cell has it that is not written as ISO 8601 says.
struct WrittenDate {
  std::string format = {};  // with MM, DD and MMM; where the order is open, that of the day first
  bool has_short = false;   // a day or month below ten without its zero
  bool has_long_name = false;                   // January
  bool names_two_numbers = false;               // such as 03/04/2024
  DayOrderOfCell order = DayOrderOfCell::open;  // of two numbers
  bool has_time = false;
  double value = 0.0;  // as IsoDate's: of a quarter, month or week the first day
};

// Dates of the years 1000 to 2999, perhaps with a time of day after them; nothing for other text.
std::optional<WrittenDate> parse_written_date(std::string_view text);

// Whether a number is a date written as YYYYMMDD, of the years 1800 to 2199.
bool is_compact_date(double number);
// Whether it is a month written as YYYYMM, of the same years.
bool is_compact_month(double number);
double compact_to_days(double number);  // REQUIRES: is_compact_date(number)
double days_to_compact(double days);    // the way back
inline constexpr std::string_view compact_format = "YYYYMMDD";

// DD/MM/YYYY for MM/DD/YYYY and the other way round; nothing for a format without two numbers.
std::optional<std::string> with_swapped_order(std::string_view format);
bool has_month_first(std::string_view format);

// The same with MM, DD and MMM for M, D and MMMM.
std::string padded_format(std::string_view format);
std::string shortest_format(std::string_view padded);   // M and D
std::string long_name_format(std::string_view padded);  // MMMM

// Day and month changed places, where both are below 13; other moments as they are.
double with_swapped_day(ColumnType type, double value);

// A day as a format writes it.
std::string written_day(std::string_view format, double days);

// Whether a text is a format that this program can write and read.
bool is_date_format(std::string_view format);

}  // namespace covary
