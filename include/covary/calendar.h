#pragma once

#include <string_view>

namespace covary {

// A stretch of time that the calendar names.
enum class CalendarUnit { none, year, week, day };

inline constexpr double days_of_a_year = 365.25;

constexpr double in_years(CalendarUnit unit) {
  switch (unit) {
    case CalendarUnit::year:
      return 1.0;
    case CalendarUnit::week:
      return 7.0 / days_of_a_year;
    case CalendarUnit::day:
      return 1.0 / days_of_a_year;
    case CalendarUnit::none:
      break;
  }
  return 0.0;
}

constexpr std::string_view to_string(CalendarUnit unit) {
  switch (unit) {
    case CalendarUnit::year:
      return "year";
    case CalendarUnit::week:
      return "week";
    case CalendarUnit::day:
      return "day";
    case CalendarUnit::none:
      break;
  }
  return "none";
}

}  // namespace covary
