// Rows of a file some at a time: nothing that is read may depend on where it is cut.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <covary/error.h>
#include <covary/random.h>
#include <covary/row_reader.h>

#include "error_of.h"
#include "table/byte_source.h"
#include "table/csv_stream.h"
#include "table/iso_date.h"

namespace covary {
namespace {

using Columns = std::vector<std::vector<double>>;

// Numbers, days that become moments, and levels of which some are numbers; with line ends in quotes
// and blank lines.
std::string some_text(int num_rows) {
  Random random(3);
  std::string text = "number,time,level,other\n";
  for (int i = 0; i < num_rows; ++i) {
    const std::string day = fmt::format("2024-01-{:02}", 1 + random.index(28));
    text += fmt::format("{},{}{},{},\"{}{}\"\n", 0.25 * static_cast<double>(random.index(1000)),
                        day, i > num_rows / 2 && i % 3 == 0 ? "T06:30" : "",
                        i % 5 == 0 ? "7" : fmt::format("level {}", random.index(4)),
                        i % 7 == 0 ? "two\nlines " : "", random.index(100));
    if (i % 11 == 0) text += "\n";
  }
  return text;
}

std::vector<Scaling> columns_of_model() {
  std::vector<Scaling> columns(3);
  columns[0].name = "number";
  columns[1] = {.name = "time", .type = ColumnType::date_time};
  columns[2] = {.name = "level",
                .type = ColumnType::category,
                .levels = {"7", "level 0", "level 1", "level 2", "level 3"}};
  return columns;
}

Columns values_of(const Table& table) {
  Columns columns;
  for (const Scaling& column : columns_of_model()) columns.push_back(input_values(table, column));
  return columns;
}

void append(Columns& all, const Columns& some) {
  all.resize(some.size());
  for (std::size_t i = 0; i < some.size(); ++i) {
    all[i].insert(all[i].end(), some[i].begin(), some[i].end());
  }
}

TEST(CsvStream, GivesTheSameValuesWhereverRowsAreTaken) {
  const std::string text = some_text(300);
  const Columns whole = values_of(read_csv_text(text, "F"));
  Random random(1);
  for (const std::size_t chunk_bytes : {1U, 2U, 7U, 64U, 1000U}) {
    TextSource bytes(text);
    CsvStream stream(bytes, "F", {}, chunk_bytes);
    Columns pieces;
    std::size_t num_rows = 0;
    while (stream.read_some()) {
      if (stream.num_untaken_rows() == 0 || random.index(4) > 0) continue;
      const Table table = stream.take();
      num_rows += table.num_rows;
      append(pieces, values_of(table));
    }
    if (stream.num_untaken_rows() > 0) {
      const Table table = stream.take();
      num_rows += table.num_rows;
      append(pieces, values_of(table));
    }
    EXPECT_EQ(num_rows, 300U);
    EXPECT_EQ(pieces, whole) << chunk_bytes << " bytes at a time";
  }
}

class RowsOfAFile : public ::testing::Test {
 protected:
  void write(const std::string& text) { std::ofstream(path_, std::ios::binary) << text; }
  void TearDown() override { std::filesystem::remove(path_); }
  RowReader reader() const { return RowReader(path_, {}, columns_of_model()); }

  // Tests run side by side.
  std::string path_ = ::testing::TempDir() + "rows_of_a_file." +
                      ::testing::UnitTest::GetInstance()->current_test_info()->name() + ".csv";
};

TEST_F(RowsOfAFile, AreThoseOfTheTableForAnyNumberAtATime) {
  write(some_text(6000));  // several chunks
  const Columns whole = values_of(read_csv(path_));
  for (const std::size_t at_a_time : {1U, 999U, 2500U, 6000U, 7000U}) {
    RowReader rows = reader();
    Columns all;
    while (true) {
      const Columns some = rows.next(at_a_time);
      if (some.front().empty()) break;
      append(all, some);
      const bool is_last = all.front().size() == 6000;
      EXPECT_TRUE(is_last || some.front().size() == at_a_time);
    }
    EXPECT_EQ(all, whole) << at_a_time;
    EXPECT_DOUBLE_EQ(rows.share_read(), 1.0);
    EXPECT_TRUE(rows.next(5).front().empty());
  }
}

TEST_F(RowsOfAFile, AreComplainedAboutWithTheirPlacesAndOnceTheyAreRead) {
  const std::string good = "1.5,2024-01-01T00:00,7,1\n";
  std::string text = "number,time,level,other\n";
  for (int i = 0; i < 40'000; ++i) text += i == 39'000 ? "1.5x,2024-01-01T00:00,7,1\n" : good;
  write(text);
  RowReader rows = reader();
  EXPECT_EQ(rows.next(20'000).front().size(), 20'000U);
  const std::string sentence = error_of(ErrorKind::bad_data, [&] { rows.next(20'000); });
  EXPECT_EQ(sentence, error_of(ErrorKind::bad_data, [&] { values_of(read_csv(path_)); }));
  EXPECT_NE(sentence.find("row 39001 (line 39002), column \"number\": \"1.5x\""), std::string::npos)
      << sentence;
}

// A decimal comma is no trouble before the first decimal point.
TEST_F(RowsOfAFile, MayNotMixWaysOfWritingFarFromEachOther) {
  std::string text = "number;time;level\n";
  for (int i = 0; i < 30'000; ++i) {
    text += fmt::format("{};2024-01-01;7\n", i == 29'000 ? "2.5" : "1,5");
  }
  write(text);
  RowReader rows = reader();
  EXPECT_EQ(rows.next(10'000).front().front(), 1.5);
  const std::string sentence = error_of(ErrorKind::bad_data, [&] {
    while (!rows.next(10'000).front().empty()) {
    }
  });
  EXPECT_EQ(sentence, error_of(ErrorKind::bad_data, [&] { values_of(read_csv(path_)); }));
}

TEST_F(RowsOfAFile, AreAskedForEvenWhereThereAreNone) {
  write("number,time,level\n");
  RowReader rows = reader();
  EXPECT_NE(error_of(ErrorKind::bad_data, [&] { rows.next(10); }).find("has a header but no data"),
            std::string::npos);
}

// What the first rows leave open is read as the model's data were, whatever comes later.
TEST(RowReader, NoDateIsReadInAnotherOrderThanTheModels) {
  const std::string path = testing::TempDir() + "/row_reader_dates.csv";
  Scaling days{.name = "day", .type = ColumnType::date};
  days.date_format = "MM/DD/YYYY";
  const auto write = [&](std::string_view mark, std::string_view last) {
    std::ofstream file(path);
    file << "day\n";
    for (int i = 0; i < 100'000; ++i) {
      file << fmt::format("{:02}{}{:02}{}2024\n", 1 + i % 12, mark, 1 + i % 11, mark);
    }
    file << last << "\n";
  };
  const auto read_all = [&] {
    RowReader reader(path, {}, {days});
    std::vector<double> values;
    while (true) {
      const Columns rows = reader.next(1000);
      if (rows[0].empty()) return values;
      values.insert(values.end(), rows[0].begin(), rows[0].end());
    }
  };
  write("/", "04/13/2024");
  const std::vector<double> values = read_all();
  ASSERT_EQ(values.size(), 100'001U);
  EXPECT_EQ(values[1], parse_iso_date("2024-02-02")->value);
  EXPECT_EQ(values[12], parse_iso_date("2024-01-02")->value);
  EXPECT_EQ(values.back(), parse_iso_date("2024-04-13")->value);
  write("/", "13/04/2024");
  EXPECT_NE(error_of(ErrorKind::bad_data, read_all).find("the model was fitted to dates that"),
            std::string::npos);
  days.date_format = "DD.MM.YYYY";
  write(".", "04.13.2024");
  EXPECT_NE(error_of(ErrorKind::bad_data, read_all).find("say it with --day-order month-first"),
            std::string::npos);
  days.date_format.clear();
  write("/", "04/13/2024");
  EXPECT_NE(error_of(ErrorKind::bad_data, read_all).find("whether the day or the month is first"),
            std::string::npos);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace covary
