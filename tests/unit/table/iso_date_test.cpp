#include "table/iso_date.h"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace covary {
namespace {

double value_of(std::string_view text) {
  const std::optional<IsoDate> date = parse_iso_date(text);
  EXPECT_TRUE(date.has_value()) << text;
  return date.value_or(IsoDate{.value = -1e300}).value;
}

// Counted by walking through the calendar, one day after the other.
TEST(IsoDate, DaysAreCountedAsOneWalksThroughTheCalendar) {
  const std::array<int, 12> lengths = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  double count = -719162.0;  // 0001-01-01
  std::string text;
  for (int year = 1; year <= 9999; ++year) {
    const bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    for (int month = 1; month <= 12; ++month) {
      const int length =
          lengths[static_cast<std::size_t>(month) - 1] + (is_leap && month == 2 ? 1 : 0);
      ASSERT_EQ(value_of(fmt::format("{:04}-{:02}", year, month)), count);
      for (int day = 1; day <= length; ++day, count += 1.0) {
        // All days of two whole cycles of the calendar, and the ends of all other months.
        if ((year < 1600 || year >= 2400) && day > 1 && day < length) continue;
        text = fmt::format("{:04}-{:02}-{:02}", year, month, day);
        ASSERT_EQ(value_of(text), count) << text;
      }
      text = fmt::format("{:04}-{:02}-{:02}", year, month, length + 1);
      ASSERT_FALSE(parse_iso_date(text).has_value()) << text;
    }
  }
  EXPECT_EQ(value_of("1970-01-01"), 0.0);
}

TEST(IsoDate, EveryMinuteOfADayIsCounted) {
  for (int minute = 0; minute < 24 * 60; ++minute) {
    const std::string text = fmt::format("2024-02-29T{:02}:{:02}", minute / 60, minute % 60);
    ASSERT_EQ(value_of(text), 1709164800.0 + 60.0 * minute) << text;
    ASSERT_EQ(value_of(text + ":59"), 1709164800.0 + 60.0 * minute + 59.0) << text;
  }
}

TEST(IsoDate, TimesAreSecondsSince1970InUtc) {
  EXPECT_EQ(value_of("1970-01-01T00:00"), 0.0);
  EXPECT_EQ(value_of("1969-12-31T23:59:59"), -1.0);
  EXPECT_EQ(value_of("2001-09-09 01:46:40Z"), 1e9);
  EXPECT_EQ(value_of("2001-09-09T03:46:40+02:00"), 1e9);
  EXPECT_EQ(value_of("2001-09-09T03:46:40+02"), 1e9);
  EXPECT_EQ(value_of("2001-09-08T20:16:40-05:30"), 1e9);
  EXPECT_EQ(value_of("2001-09-08T20:16:40-0530"), 1e9);
  EXPECT_EQ(value_of("2001-09-09T01:46+00:00"), 1e9 - 40.0);
  EXPECT_EQ(value_of("2001-09-09T01:46:40.25"), 1e9 + 0.25);
  EXPECT_EQ(value_of("2001-09-09T01:46:40.5Z"), 1e9 + 0.5);
  EXPECT_EQ(value_of("1970-01-01T00:00:00.1"), 0.1);
  EXPECT_EQ(value_of("1970-01-01T00:00:00." + std::string(400, '0') + "1"), 0.0);
}

TEST(IsoDate, ItIsKnownWhetherATimeAndAnOffsetAreGiven) {
  EXPECT_FALSE(parse_iso_date("2024-01-01")->has_time);
  EXPECT_TRUE(parse_iso_date("2024-01-01 10:00")->has_time);
  EXPECT_FALSE(parse_iso_date("2024-01-01 10:00")->has_offset);
  EXPECT_TRUE(parse_iso_date("2024-01-01 10:00Z")->has_offset);
  EXPECT_TRUE(parse_iso_date("2024-01-01 10:00:00.5-03")->has_offset);
}

TEST(IsoDate, WhatIsNotOfTheFormIsRefused) {
  for (const std::string_view text : {"",
                                      "2024",
                                      "2024-",
                                      "2024-1",
                                      "2024-1-1",
                                      "2024-01-",
                                      "2024-01-1",
                                      "2024-13",
                                      "2024-00",
                                      "2024-01-00",
                                      "2024-01-32",
                                      "0000-01-01",
                                      "10000-01-01",
                                      "24-01-01",
                                      "2024/01/01",
                                      "20240101",
                                      "2023-02-29",
                                      "1900-02-29",
                                      "2024-01-01T",
                                      "2024-01-01T10",
                                      "2024-01-01T24:00",
                                      "2024-01-01T10:60",
                                      "2024-01-01T10:00:60",
                                      "2024-01-01T10:00:",
                                      "2024-01-01T10:00:00.",
                                      "2024-01-01T10:00.5",
                                      "2024-01-01  10:00",
                                      "2024-01-01t10:00",
                                      "2024-01-01T10:00z",
                                      "2024-01-01T10:00+",
                                      "2024-01-01T10:00+2",
                                      "2024-01-01T10:00+24",
                                      "2024-01-01T10:00+02:",
                                      "2024-01-01T10:00+02:60",
                                      "2024-01-01T10:00+02:000",
                                      "2024-01-01T10:00ZZ",
                                      "2024-01T10:00",
                                      "2024-01-01Z",
                                      "2024-01-01+02:00",
                                      "2024-01-01T1:00",
                                      "2024-0a-01",
                                      "+2024-01-01",
                                      "2024-01-01T-1:00",
                                      "2024-01-01T10:00 Z"}) {
    EXPECT_FALSE(parse_iso_date(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace covary
