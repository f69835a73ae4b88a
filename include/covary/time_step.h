#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <covary/calendar.h>
#include <covary/dataset.h>
#include <covary/table.h>

namespace covary {

// The even step from one row of a time series to the next, as the calendar counts it, and the grid
// of times that it makes. Rows may be missing on the grid. Months end on their last day where they
// have no 31st (30th, 29th), and the next one is on the 31st again.
class TimeStep {
 public:
  enum class Unit { number, second, day, weekday, month };

  Unit unit() const { return unit_; }
  double count() const { return count_; }  // of the unit in a step: 3 months, 7 days, 0.5

  // Places on the grid, counted from any one of them. A time beside the grid is taken for the
  // nearest place. time_at(index_of(t) + n) is the n-th step after t.
  std::int64_t index_of(double time) const;
  double time_at(std::int64_t index) const;
  double later(double time, std::int64_t steps) const { return time_at(index_of(time) + steps); }

  // Steps that such a stretch of the calendar has, to the nearest whole number for years; 0 where
  // it has fewer than two, no whole number of them, or the times have no calendar.
  std::size_t steps_in(CalendarUnit stretch) const;

  // The stretch whose season such rows usually show: of months and quarters a year, of days a week,
  // of hours a day.
  CalendarUnit usual_season() const;

  std::string words() const;   // "month", "2 weeks", "step of 0.5"
  std::string phrase() const;  // the same with its article: "a month", "an hour", "2 weeks"

 private:
  friend class TimeStepFinder;
  TimeStep() = default;

  Unit unit_ = Unit::number;
  double count_ = 1.0;
  ColumnType type_ = ColumnType::number;
  double origin_ = 0.0;       // a place on the grid; of months, the number of one since year 0
  int day_of_month_ = 1;      // of months
  double time_of_day_ = 0.0;  // of months and weekdays, in seconds
  int per_year_ = 0;          // of numbers that count years: steps in one
  int decimals_ = 0;          // of numbers, as they are written
};

// Of raw times, in any order. Throws Error (bad_data) in a sentence that begins with `place`, such
// as `a.csv: column "Month"`, if there are fewer than three, one is there twice, or they have no
// regular step.
TimeStep time_step_of(std::span<const double> times, const Scaling& column,
                      const std::string& place);

// A time as a table has it: a date in its format (Column::date_format), or the shortest text of the
// number.
std::string time_text(ColumnType type, double time, const std::string& date_format = {});

}  // namespace covary
