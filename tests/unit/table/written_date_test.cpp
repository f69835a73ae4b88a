#include "table/written_date.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <covary/dataset.h>
#include <covary/table.h>

#include "error_of.h"
#include "table/iso_date.h"

namespace covary {
namespace {

double day(std::string_view iso) { return parse_iso_date(iso)->value; }

void expect_read(std::string_view text, std::string_view format, std::string_view iso) {
  const std::optional<WrittenDate> date = parse_written_date(text);
  ASSERT_TRUE(date.has_value()) << text;
  EXPECT_EQ(date->format, format) << text;
  EXPECT_EQ(date->value, day(iso)) << text;
}

TEST(WrittenDate, DatesAreReadInTheFormatThatTheySay) {
  expect_read("31.12.2024", "DD.MM.YYYY", "2024-12-31");
  expect_read("12/31/2024", "DD/MM/YYYY", "2024-12-31");  // that both are open is said beside it
  expect_read("2-Jan-2024", "DD-MMM-YYYY", "2024-01-02");
  expect_read("02 january 2024", "DD MMM YYYY", "2024-01-02");
  expect_read("Jan 2, 2024", "MMM DD, YYYY", "2024-01-02");
  expect_read("02JAN2024", "DDMMMYYYY", "2024-01-02");
  expect_read("Feb-2024", "MMM-YYYY", "2024-02-01");
  expect_read("2024/2/9", "YYYY/MM/DD", "2024-02-09");
  expect_read("2/2024", "MM/YYYY", "2024-02-01");
  expect_read("1990Q3", "YYYYQq", "1990-07-01");
  expect_read("1990-q3", "YYYY-Qq", "1990-07-01");
  expect_read("Q4 1990", "Qq YYYY", "1990-10-01");
  expect_read("2024-W05", "YYYY-Www", "2024-01-29");
  expect_read("2021W01", "YYYYWww", "2021-01-04");
  expect_read("2020-W53", "YYYY-Www", "2020-12-28");
}

TEST(WrittenDate, ATimeOfDayMayFollowADay) {
  expect_read("31.12.2024 9:05", "DD.MM.YYYY", "2024-12-31T09:05");
  expect_read("12/31/2024 11:59:30 PM", "DD/MM/YYYY", "2024-12-31T23:59:30");
  expect_read("12/31/2024 12:00 am", "DD/MM/YYYY", "2024-12-31T00:00");
  expect_read("2-Jan-2024, 10:00:00.25", "DD-MMM-YYYY", "2024-01-02T10:00:00.25");
  for (const std::string_view text : {"1990Q1 10:00", "Jan-2024 10:00", "31.12.2024 24:00",
                                      "31.12.2024 13:00 PM", "31.12.2024 1:60", "31.12.2024 10"}) {
    EXPECT_FALSE(parse_written_date(text).has_value()) << text;
  }
}

TEST(WrittenDate, OtherTextIsNoDate) {
  for (const std::string_view text :
       {"",         "abc",          "31.12.24",   "31.13.2024",  "30/02/2024",
        "0/1/2024", "31/12-2024",   "1990Q5",     "1990Q0",      "2021-W53",
        "2021-W00", "Q1",           "Jan",        "2-Jann-2024", "Jan Feb 2024",
        "1.2.3",    "10.0.0.1",     "12-3456",    "31.12.2024.", "/12/2024",
        "2024",     "20240101",     "99/99/9999", "1 2 2024",    "31.12.0999",
        "12.2024",  "2 Jan 3 2024", "AB-2024"}) {
    EXPECT_FALSE(parse_written_date(text).has_value()) << text;
  }
}

// Every day of some years in every format: what is written is read as the same day again.
TEST(WrittenDate, WhatAFormatWritesIsReadAgain) {
  constexpr std::array<std::string_view, 17> formats = {
      "DD.MM.YYYY",   "D.M.YYYY",   "DD/MM/YYYY",  "MM/DD/YYYY", "M/D/YYYY", "D-MMM-YYYY",
      "DD MMMM YYYY", "YYYY/MM/DD", "YYYYQq",      "YYYY-Qq",    "Qq YYYY",  "YYYY-Www",
      "MMM YYYY",     "MM/YYYY",    "MMM D, YYYY", "MMMM-YYYY",  "YYYY.M.D"};
  for (const std::string_view format : formats) {
    EXPECT_TRUE(is_date_format(format)) << format;
    for (double value = day("2019-12-20"); value < day("2021-01-15"); value += 1.0) {
      const std::string text = written_day(format, value);
      const std::optional<WrittenDate> read = parse_written_date(text);
      ASSERT_TRUE(read.has_value()) << text;
      const bool is_swapped = has_month_first(format) && read->order == DayOrderOfCell::open;
      const double again =
          is_swapped ? with_swapped_day(ColumnType::date, read->value) : read->value;
      EXPECT_EQ(written_day(format, again), text);
      if (format.find('D') != std::string_view::npos) {
        ASSERT_EQ(again, value) << text;
      }
    }
  }
  for (const std::string_view text : {"", "YYYY", "DD", "YYYY-MM-DD", "x", "DD.MM", "ww", "Qq",
                                      "MM.YYYY", "DD.DD.YYYY", "YYYYYYYY"}) {
    EXPECT_FALSE(is_date_format(text)) << text;
  }
}

TEST(WrittenDate, DigitsOfWholeNumbersAreDaysWhereTheyAreOnes) {
  EXPECT_TRUE(is_compact_date(20240229));
  EXPECT_EQ(compact_to_days(20240229), day("2024-02-29"));
  EXPECT_EQ(days_to_compact(day("2024-02-29")), 20240229);
  for (const double number : {20230229.0, 20241301.0, 20240100.0, 17991231.0, 22000101.0,
                              20240101.5, -20240101.0, 0.0, 1e300}) {
    EXPECT_FALSE(is_compact_date(number)) << number;
  }
}

// ---- whole columns ----

Table table_of(std::string_view cells, const CsvOptions& options = {}) {
  std::string text = "day;y\n";
  std::size_t row = 0;
  while (!cells.empty()) {
    const std::size_t end = std::min(cells.find('|'), cells.size());
    text += fmt::format("{};{}\n", cells.substr(0, end), ++row);
    cells.remove_prefix(std::min(end + 1, cells.size()));
  }
  return read_csv_text(text, "t.csv", options);
}

Dataset data_of(std::string_view cells, const CsvOptions& options = {}) {
  return make_dataset(table_of(cells, options), {.target = "y"});
}

void expect_days(const Table& table, const std::vector<std::string_view>& isos,
                 std::string_view format) {
  const Column& column = table.columns.front();
  EXPECT_EQ(column.type, ColumnType::date);
  EXPECT_EQ(column.date_format, format);
  EXPECT_EQ(column.conflict, "");
  ASSERT_EQ(column.values.size(), isos.size());
  for (std::size_t i = 0; i < isos.size(); ++i) EXPECT_EQ(column.values[i], day(isos[i])) << i;
}

TEST(WrittenDates, OneCellDecidesForTheWholeColumn) {
  expect_days(table_of("03/04/2024|04/04/2024|13/04/2024"),
              {"2024-04-03", "2024-04-04", "2024-04-13"}, "DD/MM/YYYY");
  expect_days(table_of("03/04/2024|3/13/2024|04/04/2024"),
              {"2024-03-04", "2024-03-13", "2024-04-04"}, "M/D/YYYY");
  expect_days(table_of("Jan-2024|May-2024|Mar-2024"), {"2024-01-01", "2024-05-01", "2024-03-01"},
              "MMM-YYYY");
  expect_days(table_of("May 2024|June 2024"), {"2024-05-01", "2024-06-01"}, "MMMM YYYY");
  expect_days(table_of("2024-9|2024-10"), {"2024-09-01", "2024-10-01"}, "YYYY-MM");
}

TEST(WrittenDates, AColumnThatSaysNoOrderIsNotGuessed) {
  const Table table = table_of("03/04/2024|04/04/2024|05/04/2024");
  EXPECT_EQ(error_of(ErrorKind::bad_data, [&] { make_dataset(table, {.target = "y"}); }),
            "t.csv: column \"day\": no date says whether the day or the month is first, such as "
            "\"03/04/2024\" in row 1 (line 2); write dates as YYYY-MM-DD, or say it with "
            "--day-order day-first (DD/MM/YYYY) or --day-order month-first (MM/DD/YYYY), or name "
            "the columns to use with --inputs");
  expect_days(table_of("03/04/2024|04/04/2024", {.day_order = DayOrder::month_first}),
              {"2024-03-04", "2024-04-04"}, "MM/DD/YYYY");
  // Points say it where no cell says the opposite.
  expect_days(table_of("03.04.2024|04.04.2024"), {"2024-04-03", "2024-04-04"}, "DD.MM.YYYY");
  expect_days(table_of("03.04.2024|04.13.2024"), {"2024-03-04", "2024-04-13"}, "MM.DD.YYYY");
}

TEST(WrittenDates, AColumnKeepsToOneFormat) {
  const auto refused = [](std::string_view cells, std::string_view part) {
    const std::string message = error_of(ErrorKind::bad_data, [&] { data_of(cells); });
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  refused("13/04/2024|04/13/2024|05/04/2024",
          "\"13/04/2024\" in row 1 (line 2) has the day first, but \"04/13/2024\" in row 2 (line "
          "3) the month");
  refused("13.04.2024|2024-04-14|15.04.2024", "is read as DD.MM.YYYY, but \"2024-04-14\"");
  refused("13.04.2024|14/04/2024|15.04.2024",
          "\"14/04/2024\" is not a date that is written DD.MM.YYYY as the others");
  refused("13.04.2024|abc|15.04.2024", "\"abc\" is not a date that is written DD.MM.YYYY");
  refused("1|13.04.2024|2|3", "is a date, not a number");
}

TEST(WrittenDates, NumbersOfEightDigitsAreDatesIfAllOfThemAre) {
  expect_days(table_of("20240101|20240201|20240301"), {"2024-01-01", "2024-02-01", "2024-03-01"},
              "YYYYMMDD");
  EXPECT_EQ(table_of("20240101|20240201").columns[0].type, ColumnType::number);  // too few
  EXPECT_EQ(table_of("20240101|20240201|20240301|20241301").columns[0].type, ColumnType::number);
  EXPECT_EQ(table_of("20240101|20240101|20240101").columns[0].type, ColumnType::number);
  EXPECT_NE(data_of("20240101|20240201|20240301|20240401|20240501")
                .notes()
                .front()
                .find("read as dates (YYYYMMDD)"),
            std::string::npos);
}

TEST(WrittenDates, CategoriesHaveThemAsTheyAreWritten) {
  const Dataset data = make_dataset(table_of("Q1 2024|Q2 2024|Q1 2024|Q2 2024|Q1 2024"),
                                    {.target = "y", .categories = {"day"}});
  EXPECT_EQ(data.input_scaling(0).levels, (std::vector<std::string>{"Q1 2024", "Q2 2024"}));
  const Dataset numbers = make_dataset(table_of("20240101|20240201|20240301|20240101|20240201"),
                                       {.target = "y", .categories = {"day"}});
  EXPECT_EQ(numbers.input_scaling(0).levels.front(), "20240101");
}

// ---- for a model ----

TEST(WrittenDates, AModelDecidesWhatNewDatesLeaveOpen) {
  const Scaling us = data_of("03/04/2024|03/13/2024|05/04/2024").input_scaling(0);
  EXPECT_EQ(input_values(table_of("01/02/2025"), us).front(), day("2025-01-02"));
  EXPECT_EQ(input_values(table_of("2025-01-02"), us).front(), day("2025-01-02"));
  EXPECT_EQ(input_values(table_of("31.01.2025"), us).front(), day("2025-01-31"));
  const std::string other =
      error_of(ErrorKind::bad_data, [&] { input_values(table_of("31/01/2025"), us); });
  EXPECT_NE(other.find("read as DD/MM/YYYY, but the model was fitted to dates that are read as "
                       "MM/DD/YYYY"),
            std::string::npos)
      << other;
  const Scaling iso = data_of("2024-01-01|2024-01-02|2024-01-04").input_scaling(0);
  const std::string open =
      error_of(ErrorKind::bad_data, [&] { input_values(table_of("01/02/2025"), iso); });
  EXPECT_NE(open.find("no date says whether the day or the month is first"), std::string::npos);
}

TEST(WrittenDates, AModelDecidesWhatEightDigitsAre) {
  const Scaling dates = data_of("20240101|20240201|20240301").input_scaling(0);
  EXPECT_EQ(input_values(table_of("20250102"), dates).front(), day("2025-01-02"));
  Scaling numbers = dates;
  numbers.type = ColumnType::number;
  numbers.date_format.clear();
  EXPECT_EQ(input_values(table_of("20240101|20240201|20240301"), numbers).front(), 20240101.0);
  const std::string message =
      error_of(ErrorKind::bad_data, [&] { input_values(table_of("20251302"), dates); });
  EXPECT_NE(message.find("20251302 is not a date"), std::string::npos) << message;
}

}  // namespace
}  // namespace covary
