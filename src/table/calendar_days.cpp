#include "table/calendar_days.h"

#include <algorithm>
#include <chrono>

namespace covary {
namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

std::chrono::year_month_day_last last_day(std::int64_t month) {
  const std::int64_t year = floor_div(month, months_per_year);
  return std::chrono::year(static_cast<int>(year)) /
         std::chrono::month(static_cast<unsigned>(month - year * months_per_year + 1)) /
         std::chrono::last;
}

int length_of(std::int64_t month) {
  return static_cast<int>(static_cast<unsigned>(last_day(month).day()));
}

}  // namespace

Day day_of(std::int64_t days) {
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(static_cast<int>(days)))};
  const std::int64_t month =
      months_per_year * static_cast<int>(date.year()) + static_cast<unsigned>(date.month()) - 1;
  return {month, static_cast<int>(static_cast<unsigned>(date.day())), length_of(month)};
}

std::int64_t days_at(std::int64_t month, int day) {
  const std::chrono::year_month_day_last last = last_day(month);
  const std::chrono::sys_days first{last.year() / last.month() / 1};
  return first.time_since_epoch().count() + std::min(day, length_of(month)) - 1;
}

// 1970-01-01 was a Thursday.
std::int64_t place_in_week(std::int64_t days) {
  return days + 3 - days_per_week * floor_div(days + 3, days_per_week);
}

std::int64_t weekday_index(std::int64_t days) {
  return weekdays_per_week * floor_div(days + 3, days_per_week) +
         std::min(place_in_week(days), weekdays_per_week - 1);
}

std::int64_t day_of_weekday_index(std::int64_t index) {
  const std::int64_t week = floor_div(index, weekdays_per_week);
  return days_per_week * week + (index - weekdays_per_week * week) - 3;
}

}  // namespace covary
