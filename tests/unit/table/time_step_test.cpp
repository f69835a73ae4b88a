#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <covary/time_step.h>

#include "table/calendar.h"
#include "table/iso_date.h"
#include "unit/table/error_of.h"

namespace covary {
namespace {

using Texts = std::vector<std::string>;

constexpr const char* place = "F: column \"t\"";

Scaling column_of(ColumnType type) { return {.name = "t", .type = type}; }

struct Times {
  Scaling column;
  std::vector<double> values;
  TimeStep step() const { return time_step_of(values, column, place); }
};

Times dates(const Texts& texts) {
  Times times{column_of(ColumnType::date), {}};
  for (const std::string& text : texts) {
    const IsoDate date = parse_iso_date(text).value();
    if (date.has_time) times.column.type = ColumnType::date_time;
    times.values.push_back(date.value);
  }
  return times;
}

Times numbers(std::vector<double> values) {
  Times times{column_of(ColumnType::number), std::move(values)};
  times.column.days_a_unit = days_a_unit("", times.values);
  return times;
}

// So many times after the last one, as text.
Texts next(const Times& times, int count) {
  const TimeStep step = times.step();
  Texts texts;
  for (int i = 1; i <= count; ++i) {
    texts.push_back(time_text(times.column.type, step.later(times.values.back(), i)));
  }
  return texts;
}

TEST(TimeStep, MonthsAreMonths) {
  const Times months = dates({"2023-10-01", "2023-11-01", "2023-12-01"});
  EXPECT_EQ(months.step().words(), "month");
  EXPECT_EQ(next(months, 3), (Texts{"2024-01-01", "2024-02-01", "2024-03-01"}));
}

TEST(TimeStep, TheLastDayOfAMonthIsFollowedByTheLastOfTheNext) {
  EXPECT_EQ(next(dates({"2023-11-30", "2023-12-31", "2024-01-31"}), 4),
            (Texts{"2024-02-29", "2024-03-31", "2024-04-30", "2024-05-31"}));
  EXPECT_EQ(next(dates({"2022-11-30", "2022-12-31", "2023-01-31"}), 2),
            (Texts{"2023-02-28", "2023-03-31"}));
  // Thirtieths stay thirtieths where there is one.
  EXPECT_EQ(next(dates({"2023-11-30", "2023-12-30", "2024-01-30"}), 3),
            (Texts{"2024-02-29", "2024-03-30", "2024-04-30"}));
}

TEST(TimeStep, QuartersAndYears) {
  const Times quarters = dates({"2023-03-31", "2023-06-30", "2023-09-30", "2023-12-31"});
  EXPECT_EQ(quarters.step().words(), "quarter");
  EXPECT_EQ(next(quarters, 2), (Texts{"2024-03-31", "2024-06-30"}));
  const Times years = dates({"2021-05-17", "2022-05-17", "2023-05-17"});
  EXPECT_EQ(years.step().words(), "year");
  EXPECT_EQ(next(years, 2), (Texts{"2024-05-17", "2025-05-17"}));
  EXPECT_EQ(next(dates({"2018-02-28", "2019-02-28", "2020-02-29"}), 4),
            (Texts{"2021-02-28", "2022-02-28", "2023-02-28", "2024-02-29"}));
}

TEST(TimeStep, WeeksDaysAndHours) {
  const Times weeks = dates({"2024-02-12", "2024-02-19", "2024-02-26"});
  EXPECT_EQ(weeks.step().words(), "week");
  EXPECT_EQ(next(weeks, 1), Texts{"2024-03-04"});
  const Times days = dates({"2024-02-26", "2024-02-27", "2024-02-28"});
  EXPECT_EQ(days.step().words(), "day");
  EXPECT_EQ(next(days, 2), (Texts{"2024-02-29", "2024-03-01"}));
  const Times hours = dates({"2023-12-31T21:00", "2023-12-31T22:00", "2023-12-31T23:00"});
  EXPECT_EQ(hours.step().words(), "hour");
  EXPECT_EQ(next(hours, 1), Texts{"2024-01-01T00:00:00"});
  EXPECT_EQ(dates({"2024-01-01T00:00", "2024-01-01T00:15", "2024-01-01T00:30"}).step().words(),
            "15 minutes");
  const Times noons = dates({"2023-11-30T12:00", "2023-12-31T12:00", "2024-01-31T12:00"});
  EXPECT_EQ(next(noons, 1), Texts{"2024-02-29T12:00:00"});
}

TEST(TimeStep, RowsThatRestAtWeekendsGoOnDoingSo) {
  Texts texts;  // three weeks from Monday on, a holiday among them
  for (const char* day :
       {"01", "02", "04", "05", "08", "09", "10", "11", "12", "15", "16", "17", "18", "19"}) {
    texts.push_back(fmt::format("2024-07-{}", day));
  }
  const Times working_days = dates(texts);
  EXPECT_EQ(working_days.step().words(), "weekday");
  EXPECT_EQ(next(working_days, 6), (Texts{"2024-07-22", "2024-07-23", "2024-07-24", "2024-07-25",
                                          "2024-07-26", "2024-07-29"}));
  EXPECT_EQ(working_days.step().steps_in(CalendarUnit::week), 5U);
}

TEST(TimeStep, NumbersThatCountYearsInMonths) {
  std::vector<double> months;
  std::vector<double> cut;
  for (int i = 0; i < 24; ++i) {
    months.push_back(1949.0 + i / 12.0);
    cut.push_back(std::round(1e4 * months.back()) / 1e4);
  }
  EXPECT_EQ(numbers(cut).step().words(), "month");
  EXPECT_EQ(next(numbers(cut), 3), (Texts{"1951", "1951.0833", "1951.1667"}));
  EXPECT_NEAR(numbers(months).step().later(months.back(), 2), 1951.0 + 1.0 / 12.0, 1e-9);
  EXPECT_EQ(numbers(months).step().steps_in(CalendarUnit::year), 12U);
}

TEST(TimeStep, PlainNumbers) {
  EXPECT_EQ(next(numbers({1.0, 2.0, 3.0}), 2), (Texts{"4", "5"}));
  EXPECT_EQ(next(numbers({0.1, 0.2, 0.3, 0.5}), 3), (Texts{"0.6", "0.7", "0.8"}));
  EXPECT_EQ(next(numbers({1990.0, 1991.0, 1992.0}), 1), Texts{"1993"});
  EXPECT_EQ(numbers({-5e-7, 0.0, 5e-7}).step().words(), "step of 5e-07");
}

TEST(TimeStep, ToleratesGapsAndAnyOrder) {
  EXPECT_EQ(next(dates({"2024-05-01", "2024-01-01", "2024-02-01", "2024-04-01"}), 1)[0],
            "2024-05-01");
  const Times gaps = dates({"2024-01-01", "2024-01-08", "2024-01-15", "2024-02-05"});
  EXPECT_EQ(gaps.step().words(), "week");
  EXPECT_EQ(gaps.step().index_of(gaps.values[3]) - gaps.step().index_of(gaps.values[0]), 5);
}

std::vector<Times> every_kind() {
  std::vector<double> months;
  months.reserve(24);
  for (int i = 0; i < 24; ++i) months.push_back(std::round(1e4 * (1949.0 + i / 12.0)) / 1e4);
  Texts weekdays;
  for (const char* day : {"08", "09", "10", "11", "12", "15", "16", "17", "18", "19", "22"}) {
    weekdays.push_back(fmt::format("2024-07-{}", day));
  }
  return {dates({"2023-11-30", "2023-12-31", "2024-01-31"}),
          dates({"2023-03-31", "2023-06-30", "2023-09-30"}),
          dates({"2024-02-12", "2024-02-19", "2024-02-26"}),
          dates({"1969-12-30", "1969-12-31", "1970-01-01"}),
          dates({"2023-12-31T21:00", "2023-12-31T22:00", "2023-12-31T23:00"}),
          dates({"1960-01-31T06:30", "1960-02-29T06:30", "1960-03-31T06:30"}),
          dates(weekdays),
          numbers(months),
          numbers({-0.3, -0.2, -0.1})};
}

TEST(TimeStep, SteppingTwiceIsSteppingByTheSum) {
  for (const Times& times : every_kind()) {
    const TimeStep step = times.step();
    for (const double time : times.values) {
      for (std::int64_t n = -30; n <= 30; n += 3) {
        for (std::int64_t m = -17; m <= 40; ++m) {
          EXPECT_EQ(step.later(step.later(time, n), m), step.later(time, n + m))
              << step.words() << " from " << time << " by " << n << " and " << m;
        }
      }
    }
  }
}

TEST(TimeStep, EveryRowIsOnTheGridAndLaterIsLater) {
  for (const Times& times : every_kind()) {
    const TimeStep step = times.step();
    for (const double time : times.values) EXPECT_NEAR(step.later(time, 0), time, 1e-12);
    for (std::int64_t i = -500; i < 500; ++i) {
      EXPECT_LT(step.time_at(i), step.time_at(i + 1)) << step.words();
      EXPECT_EQ(step.index_of(step.time_at(i)), i) << step.words();
    }
  }
}

TEST(TimeStep, SeasonsAreThoseOfTheCalendar) {
  const auto season = [](const Times& times) {
    const TimeStep step = times.step();
    return step.steps_in(step.usual_season());
  };
  EXPECT_EQ(season(dates({"2024-01-01", "2024-02-01", "2024-03-01"})), 12U);
  EXPECT_EQ(season(dates({"2024-01-01", "2024-04-01", "2024-07-01"})), 4U);
  EXPECT_EQ(season(dates({"2024-01-01", "2024-01-02", "2024-01-03"})), 7U);
  EXPECT_EQ(season(dates({"2024-01-01T00:00", "2024-01-01T01:00", "2024-01-01T02:00"})), 24U);
  EXPECT_EQ(season(dates({"2024-01-01T00:00", "2024-01-01T00:30", "2024-01-01T01:00"})), 48U);
  EXPECT_EQ(season(dates({"2024-01-01", "2024-01-08", "2024-01-15"})), 0U);
  EXPECT_EQ(season(dates({"2022-01-01", "2023-01-01", "2024-01-01"})), 0U);
  EXPECT_EQ(season(numbers({1.0, 2.0, 3.0})), 0U);
  const TimeStep week = dates({"2024-01-01", "2024-01-08", "2024-01-15"}).step();
  EXPECT_EQ(week.steps_in(CalendarUnit::year), 52U);
  EXPECT_EQ(week.steps_in(CalendarUnit::week), 0U);
  const TimeStep day = dates({"2024-01-01", "2024-01-02", "2024-01-03"}).step();
  EXPECT_EQ(day.steps_in(CalendarUnit::year), 365U);
}

TEST(TimeStep, SaysWhatIsWrong) {
  const auto sentence = [](const Times& times) {
    return error_of(ErrorKind::bad_data, [&] { static_cast<void>(times.step()); });
  };
  EXPECT_EQ(sentence(dates({"2024-01-01", "2024-02-01"})),
            "F: column \"t\": 2 rows are too few to tell the step from one to the next; at least 3 "
            "are needed");
  EXPECT_EQ(sentence(dates({"2024-01-01", "2024-02-01", "2024-01-01"})),
            "F: column \"t\": 2024-01-01 is there more than once; a forecast needs one row for "
            "each time: leave out the others or, if the table holds several series, name the "
            "column that tells them apart with --group");
  EXPECT_EQ(sentence(dates({"2024-01-01", "2024-01-08", "2024-01-15", "2024-01-19"})),
            "F: column \"t\": the times have no regular step: most are a week apart, but "
            "2024-01-19 follows 2024-01-15; a forecast needs even steps of months, weeks, days, "
            "hours or numbers, in which rows may be missing");
  EXPECT_EQ(sentence(numbers({1.0, 2.0, 3.0, 4.5, 5.5})),
            "F: column \"t\": the times have no regular step: most are 1 apart, but 4.5 follows 3; "
            "a forecast needs even steps of months, weeks, days, hours or numbers, in which rows "
            "may be missing");
}

}  // namespace
}  // namespace covary
