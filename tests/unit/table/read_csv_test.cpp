#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <covary/table.h>

#include "error_of.h"

namespace covary {
namespace {

using Numbers = std::vector<double>;

Table read(std::string_view text, const CsvOptions& options = {}) {
  return read_csv_text(text, "F", options);
}

std::string bad_data(std::string_view text, const CsvOptions& options = {}) {
  return error_of(ErrorKind::bad_data, [&] { read(text, options); });
}

std::vector<std::string> names_of(const Table& table) {
  std::vector<std::string> names;
  for (const Column& column : table.columns) names.push_back(column.name);
  return names;
}

void expect_plain(std::string_view text, const CsvOptions& options = {}) {
  const Table table = read(text, options);
  ASSERT_EQ(names_of(table), (std::vector<std::string>{"a", "b"})) << text;
  EXPECT_EQ(table.columns[0].values, (Numbers{1, 3})) << text;
  EXPECT_EQ(table.columns[1].values, (Numbers{2, 4})) << text;
  EXPECT_EQ(table.num_rows, 2U);
}

TEST(ReadCsv, AllLineEndsAndSeparatorsGiveTheSameTable) {
  expect_plain("a,b\n1,2\n3,4\n");
  expect_plain("a,b\n1,2\n3,4");
  expect_plain("a,b\r\n1,2\r\n3,4\r\n");
  expect_plain("a,b\r1,2\r3,4\r");
  expect_plain("a,b\r1,2\n3,4\r\n");
  expect_plain("a;b\n1;2\n3;4\n");
  expect_plain("a\tb\n1\t2\n3\t4\n");
  expect_plain("a|b\n1|2\n3|4\n", {.separator = '|'});
  expect_plain("\xEF\xBB\xBF\"a\",b\n1,2\n3,4\n");
  expect_plain("\"a\",\" b\"\n\"1\",\"2 \"\n\"+3\",4\n");
  expect_plain(" a , b \n 1 , 2 \n 3\t,\t4 \n");
  expect_plain("\n\na,b\n\n1,2\n \n\n3,4\n\n\n");
}

TEST(ReadCsv, QuotesHideSeparatorsLineEndsAndQuotes) {
  const Table table = read("\"x,\"\"y\"\"\",\"two\nlines\"\n\"1\",\"2\"\n");
  EXPECT_EQ(names_of(table), (std::vector<std::string>{"x,\"y\"", "two\nlines"}));
}

TEST(ReadCsv, WithoutAHeaderColumnsAreNumbered) {
  const Table table = read("1,2\n3,4\n", {.has_header = false});
  EXPECT_EQ(names_of(table), (std::vector<std::string>{"column_1", "column_2"}));
  EXPECT_EQ(table.columns[0].values, (Numbers{1, 3}));
  EXPECT_EQ(table.line_of(1), 1U);
  EXPECT_TRUE(table.notes.empty());
}

TEST(ReadCsv, AHeaderOfNumbersIsNoted) {
  EXPECT_EQ(read("1,2\n3,4\n").notes,
            std::vector<std::string>{"the first row of F looks like data, not names; if the file "
                                     "has no header, use --no-header"});
  EXPECT_TRUE(read("1,b\n3,4\n").notes.empty());
}

TEST(ReadCsv, LinesAreThoseThatAnEditorShows) {
  const Table table = read("a,b\n\n1,2\n\"x\ny\r\nz\",3\r\n \r\n5,6\r7,8\n");
  EXPECT_EQ(table.num_rows, 4U);
  EXPECT_EQ(table.line_of(1), 3U);
  EXPECT_EQ(table.line_of(2), 4U);
  EXPECT_EQ(table.line_of(3), 8U);
  EXPECT_EQ(table.line_of(4), 9U);
  EXPECT_EQ(read("a\n1\n2\n3\n").line_steps.size(), 1U);
  EXPECT_EQ(Table{}.line_of(1), 0U);
}

TEST(ReadCsv, TheTypeOfAColumnIsThatOfTheMajority) {
  const auto type_of = [](std::string_view cells) {
    return read("x\n" + std::string(cells)).columns[0].type;
  };
  EXPECT_EQ(type_of("1\n2\nabc\n"), ColumnType::number);
  EXPECT_EQ(type_of("1\nabc\n"), ColumnType::number);
  EXPECT_EQ(type_of("1\nabc\ndef\n"), ColumnType::text);
  EXPECT_EQ(type_of("1\nNA\nNA\nabc\ndef\n"), ColumnType::text);
  EXPECT_EQ(type_of("2020-01-01\n2\n2020-01-02\n"), ColumnType::date);
  EXPECT_EQ(type_of("2020-01-01\n2\n3\n"), ColumnType::number);
  EXPECT_EQ(type_of("2020-01-01\n2020-01-02T10:00\n"), ColumnType::date_time);
  EXPECT_EQ(type_of("NA\nNA\n"), ColumnType::number);
  EXPECT_EQ(type_of("inf\n"), ColumnType::number);
}

TEST(ReadCsv, StrayCellsAreCountedAndTheFirstIsKept) {
  const Column number = read("x\n1\nabc\n2020-01-01\n4\n5\n").columns[0];
  EXPECT_EQ(number.num_stray, 2U);
  ASSERT_TRUE(number.first_stray.has_value());
  EXPECT_EQ(number.first_stray->text, "abc");
  EXPECT_EQ(number.first_stray->row, 2U);
  EXPECT_EQ(number.first_stray->line, 3U);
  EXPECT_TRUE(std::isnan(number.values[1]));
  EXPECT_TRUE(std::isnan(number.values[2]));
  EXPECT_EQ(number.values[3], 4.0);

  const Column date = read("x\n1970-01-02\n77\ninf\n1970-01-03\n1970-01-04\n").columns[0];
  EXPECT_EQ(date.type, ColumnType::date);
  EXPECT_EQ(date.num_stray, 2U);
  EXPECT_EQ(date.num_unusable, 0U);
  EXPECT_EQ(date.first_stray->text, "77");
  EXPECT_TRUE(std::isnan(date.values[1]));
  EXPECT_EQ(date.values[3], 2.0);
}

TEST(ReadCsv, TextColumnsKeepNoValues) {
  const Column column = read("x,y\nab,1\ncd,2\n3,3\n").columns[0];
  EXPECT_EQ(column.type, ColumnType::text);
  EXPECT_EQ(column.values.capacity(), 0U);
  EXPECT_EQ(column.first_stray->text, "ab");
  EXPECT_EQ(column.num_stray, 2U);
}

TEST(ReadCsv, DatesInAColumnOfTimesAreMidnights) {
  const Column column = read("t\n1970-01-02\nNA\n1970-01-02T00:00:01\n1970-01-03\n").columns[0];
  EXPECT_EQ(column.type, ColumnType::date_time);
  EXPECT_EQ(column.values[0], 86400.0);
  EXPECT_TRUE(std::isnan(column.values[1]));
  EXPECT_EQ(column.values[2], 86401.0);
  EXPECT_EQ(column.values[3], 172800.0);
  EXPECT_EQ(column.num_stray, 0U);
  EXPECT_EQ(column.conflict, "");
}

TEST(ReadCsv, UnusableCellsAreCountedAndTheFirstIsKept) {
  const Column column = read("x,y\n1,1\n,1\ninf,1\n-1e999,1\n5,1\n").columns[0];
  EXPECT_EQ(column.num_unusable, 3U);
  EXPECT_EQ(column.first_unusable->row, 2U);
  EXPECT_EQ(column.first_unusable->text, "");
  EXPECT_TRUE(std::isnan(column.values[1]));
  EXPECT_EQ(column.values[2], std::numeric_limits<double>::infinity());
  EXPECT_EQ(column.values[3], -std::numeric_limits<double>::infinity());
}

TEST(ReadCsv, MixedDecimalMarksAreAConflict) {
  EXPECT_EQ(read("x;y\n1;1\n2.5;1\n3,5;1\n").columns[0].conflict,
            "\"3,5\" in row 3 (line 4) has a decimal comma, but \"2.5\" in row 2 (line 3) has a "
            "decimal point; write all numbers of the column in one way");
  EXPECT_EQ(read("x;y\n1;1\n2,5;1\n3,5;1\n").columns[0].conflict, "");
  EXPECT_EQ(read("x;y\n1;1\n2,5;1\n3,5;1\n").columns[0].values, (Numbers{1, 2.5, 3.5}));
  EXPECT_EQ(read("x\ty\n1\t1\n2,5\t1\n").columns[0].values, (Numbers{1, 2.5}));
}

TEST(ReadCsv, TimesWithAndWithoutOffsetAreAConflict) {
  EXPECT_EQ(read("t,y\n2020-01-01T10:00,1\n2020-01-01T10:00Z,1\n").columns[0].conflict,
            "\"2020-01-01T10:00Z\" in row 2 (line 3) names its offset from UTC, but "
            "\"2020-01-01T10:00\" in row 1 (line 2) does not; write all times of the column in one "
            "way");
}

TEST(ReadCsv, RaggedRowsAreRefused) {
  EXPECT_EQ(bad_data("a,b\n1,2\n\n3\n"),
            "F: row 2 (line 4) has 1 field, but the header has 2; is a separator or a quote "
            "missing or one too many?");
  EXPECT_EQ(bad_data("1,2\n3,4,5\n", {.has_header = false}),
            "F: row 2 (line 2) has 3 fields, but the first row has 2; is a separator or a quote "
            "missing or one too many?");
}

TEST(ReadCsv, BadHeadersAreRefused) {
  EXPECT_EQ(bad_data("a,,c\n1,2,3\n"),
            "F: the header (line 1) has no name for column 2 of 3; name it, or use --no-header if "
            "the first row is data");
  EXPECT_EQ(bad_data("\na,b, a\n1,2,3\n"),
            "F: the header (line 2) gives the name \"a\" to columns 1 and 3; rename one of them");
}

TEST(ReadCsv, BadQuotesAreRefused) {
  EXPECT_EQ(bad_data("a,b\n1,2\n3,\"4\n5,6\n"),
            "F: the quote opened in row 2 (line 3) is never closed");
  EXPECT_EQ(bad_data("a,\"b\n1,2\n"), "F: the quote opened in the header (line 1) is never closed");
  EXPECT_EQ(bad_data("\"1,2\n", {.has_header = false}),
            "F: the quote opened in row 1 (line 1) is never closed");
  EXPECT_EQ(bad_data("a,b\n1,5\"\n"),
            "F: row 1 (line 2) has a quote in the middle of a field; put the whole field in quotes "
            "and write a quote inside it twice");
  EXPECT_EQ(bad_data("a,b\n1,\"5\n6,\"7\n"),
            "F: row 1 (line 2) has a quote in the middle of a field on line 3; put the whole field "
            "in quotes and write a quote inside it twice");
  EXPECT_NE(bad_data("a,b\n1,\"5\" x\n").find("in the middle of a field;"), std::string::npos);
}

TEST(ReadCsv, WhatIsNotUtf8TextIsRefused) {
  using namespace std::string_literals;
  EXPECT_EQ(bad_data("a,b\r\n1,2\r\n3,\xE4\r\n"),
            "F: line 3 is not valid UTF-8; save the file as UTF-8");
  EXPECT_EQ(bad_data("a,b\n1,\xE2\x82"), "F: line 2 is not valid UTF-8; save the file as UTF-8");
  EXPECT_EQ(bad_data("a,b\n1,\0\n"s), "F: line 2 has a NUL byte; save the file as text (UTF-8)");
  EXPECT_EQ(bad_data("\xFF\xFE"
                     "a\0,\0"s),
            "F: the file is in UTF-16; save it as UTF-8");
  EXPECT_EQ(bad_data("\xFE\xFF\0a"s), "F: the file is in UTF-16; save it as UTF-8");
  EXPECT_EQ(bad_data("PK\x03\x04\0"s),
            "F: the file is a spreadsheet or an archive; export it as CSV");
  EXPECT_EQ(bad_data("\x1F\x8B\x08"s), "F: the file is compressed; decompress it first");
}

TEST(ReadCsv, TheFirstTroubleOfTheFileIsTheOneThatIsTold) {
  EXPECT_NE(bad_data("a,b\n1\n\xFF").find("row 1"), std::string::npos);
  EXPECT_NE(bad_data("a,b\n\xFF\n1\n").find("UTF-8"), std::string::npos);
}

TEST(ReadCsv, FilesWithoutDataAreRefused) {
  for (const std::string_view text : {"", "\n", " \n\r\n", "\xEF\xBB\xBF", "\xEF\xBB\xBF\n"}) {
    EXPECT_EQ(bad_data(text), "F: the file is empty");
  }
  EXPECT_EQ(bad_data("", {.has_header = false}), "F: the file is empty");
  EXPECT_EQ(bad_data("a,b\n"), "F: the file has a header but no data");
  EXPECT_EQ(bad_data("a,b\n\n \n"), "F: the file has a header but no data");
}

TEST(ReadCsv, ASeparatorThatCannotBeIsAUsageError) {
  EXPECT_EQ(error_of(ErrorKind::usage, [] { read("a.b\n", {.separator = '.'}); }),
            "the separator cannot be \".\", which cells, quotes or lines are made of; use a comma, "
            "a semicolon, a tab or a sign such as |");
}

TEST(ReadCsv, LongAndControlTextIsShownSafely) {
  const Column column = read("x\n1\n\"a\x1b\n" + std::string(100, 'b') + "\"\n2\n").columns[0];
  EXPECT_EQ(column.first_stray->text, "a\x1b\n" + std::string(37, 'b') + "…");
  EXPECT_EQ(bad_data("\"a\nb\",\"a\nb\"\n1,2\n"),
            "F: the header (line 1) gives the name \"a\\nb\" to columns 1 and 2; rename one of "
            "them");
}

TEST(ReadCsv, ColumnsAreFoundByName) {
  const Table table = read("a,b\n1,2\n");
  EXPECT_EQ(table.find("b"), &table.columns[1]);
  EXPECT_EQ(table.find("c"), nullptr);
}

}  // namespace
}  // namespace covary
