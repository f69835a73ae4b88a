#include <cmath>

#include <fmt/format.h>

#include <covary/message_text.h>
#include <covary/time_step.h>

#include "table/calendar_days.h"
#include "table/iso_date.h"
#include "table/number_grid.h"
#include "table/step_words.h"

namespace covary {
namespace {

constexpr int days_a_year = 365;        // of numbers that count years
constexpr double half_a_tick = 0.0005;  // of a second

std::int64_t whole(double number) { return static_cast<std::int64_t>(std::llround(number)); }

}  // namespace

std::string time_text(ColumnType type, double time, const std::string& date_format) {
  return type == ColumnType::number ? shown_number(time) : format_date(type, date_format, time);
}

std::int64_t TimeStep::index_of(double time) const {
  const auto steps = [&](double distance) { return whole(distance / count_); };
  const auto days = [&] {
    const double day_length = type_ == ColumnType::date_time ? seconds_per_day : 1.0;
    return whole(std::floor((time + half_a_tick) / day_length));
  };
  switch (unit_) {
    case Unit::month:
      return steps(static_cast<double>(day_of(days()).month) - origin_);
    case Unit::weekday:
      return weekday_index(days()) - whole(origin_);
    case Unit::number:
    case Unit::second:
    case Unit::day:
      break;
  }
  return steps(time - origin_);
}

double TimeStep::time_at(std::int64_t index) const {
  const double distance = static_cast<double>(index) * count_;
  const auto at_day = [&](std::int64_t days) {
    const auto count = static_cast<double>(days);
    return type_ == ColumnType::date_time ? count * seconds_per_day + time_of_day_ : count;
  };
  switch (unit_) {
    case Unit::month:
      return at_day(days_at(whole(origin_ + distance), day_of_month_));
    case Unit::weekday:
      return at_day(day_of_weekday_index(whole(origin_) + index));
    case Unit::number:
      return rounded(origin_ + distance, decimals_);
    case Unit::second:
    case Unit::day:
      break;
  }
  return origin_ + distance;
}

std::size_t TimeStep::steps_in(CalendarUnit stretch) const {
  if (stretch == CalendarUnit::none) return 0;
  double steps = 0.0;
  switch (unit_) {
    case Unit::number:
      steps = per_year_ * in_years(stretch);
      if (stretch == CalendarUnit::week && per_year_ == days_a_year) steps = 7.0;
      break;
    case Unit::month:
      steps = stretch == CalendarUnit::year ? static_cast<double>(months_per_year) / count_ : 0.0;
      break;
    case Unit::weekday:
      steps =
          static_cast<double>(weekdays_per_week) * in_years(stretch) / in_years(CalendarUnit::week);
      if (stretch == CalendarUnit::year) steps = std::round(steps);
      break;
    case Unit::second:
    case Unit::day: {
      const double in_days = unit_ == Unit::day ? count_ : count_ / seconds_per_day;
      steps = in_years(stretch) * days_of_a_year / in_days;
      if (stretch == CalendarUnit::year) steps = std::round(steps);
      break;
    }
  }
  constexpr double slack = 1e-9;
  if (std::abs(steps - std::round(steps)) > slack || steps < 2.0 - slack) return 0;
  return static_cast<std::size_t>(whole(steps));
}

CalendarUnit TimeStep::usual_season() const {
  switch (unit_) {
    case Unit::month:
      return CalendarUnit::year;
    case Unit::weekday:
      return CalendarUnit::week;
    case Unit::day:
      return count_ == 1.0 ? CalendarUnit::week : CalendarUnit::none;
    case Unit::second:
      if (count_ < seconds_per_day) return CalendarUnit::day;
      return count_ == seconds_per_day ? CalendarUnit::week : CalendarUnit::none;
    case Unit::number:
      break;
  }
  if (per_year_ == 0) return CalendarUnit::none;
  if (per_year_ <= months_per_year) return CalendarUnit::year;
  return per_year_ == days_a_year ? CalendarUnit::week : CalendarUnit::none;
}

std::string TimeStep::words() const {
  switch (unit_) {
    case Unit::month:
      return month_text(whole(count_));
    case Unit::weekday:
      return "weekday";
    case Unit::day:
      return duration_text(count_ * seconds_per_day);
    case Unit::second:
      return duration_text(count_);
    case Unit::number:
      break;
  }
  if (per_year_ == 0) return fmt::format("step of {}", shown_number(rounded(count_, decimals_)));
  if (per_year_ <= months_per_year) return month_text(months_per_year / per_year_);
  return per_year_ == days_a_year ? "day" : "week";
}

std::string TimeStep::phrase() const { return step_phrase(words()); }

}  // namespace covary
