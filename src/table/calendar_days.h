#pragma once

#include <cstdint>

namespace covary {

// Whole days, months and weeks of the proleptic Gregorian calendar, as numbers to count with: days
// since 1970-01-01, months since January of the year 0.
inline constexpr std::int64_t months_per_year = 12;
inline constexpr std::int64_t days_per_week = 7;
inline constexpr std::int64_t weekdays_per_week = 5;

struct Day {
  std::int64_t month = 0;
  int day = 1;
  int month_length = 31;
};

Day day_of(std::int64_t days);

// That day of the month, or its last one where it is shorter.
std::int64_t days_at(std::int64_t month, int day);

std::int64_t place_in_week(std::int64_t days);  // Monday is 0

// Working days since a Monday; those of a weekend are taken for the Friday before.
std::int64_t weekday_index(std::int64_t days);
std::int64_t day_of_weekday_index(std::int64_t index);

}  // namespace covary
