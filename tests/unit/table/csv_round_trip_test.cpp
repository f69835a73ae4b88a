// Random tables, written in random ways, come back bit by bit, however the bytes are cut.
#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <covary/random.h>
#include <covary/table.h>

#include "table/byte_source.h"
#include "table/csv_stream.h"

namespace covary {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct WrittenTable {
  std::vector<std::string> names;
  std::vector<ColumnType> types;
  std::vector<std::vector<double>> values;
  std::vector<std::size_t> lines;
  CsvOptions options;
  std::string text;
};

class RandomWriter {
 public:
  explicit RandomWriter(std::uint64_t seed) : random_(seed) {}

  WrittenTable write() {
    WrittenTable table;
    const std::size_t num_columns = 1 + random_.index(6);
    const std::size_t num_rows = 1 + random_.index(12);
    separator_ = pick(std::string_view(",;\t|"));
    decimal_comma_ = (separator_ == ';' || separator_ == '\t') && one_in(2);
    always_quote_ = one_in(4);
    line_end_ = pick(std::array<std::string_view, 3>{"\n", "\r\n", "\r"});
    table.options.has_header = !one_in(4);
    // One column alone gives nothing to detect the separator from.
    if (separator_ == '|' || num_columns == 1 || one_in(2)) table.options.separator = separator_;
    if (one_in(4)) table.text = "\xEF\xBB\xBF";
    line_ = 1;
    for (std::size_t j = 0; j < num_columns; ++j) add_column(table, j, num_rows);
    write_records(table, num_rows);
    return table;
  }

 private:
  bool one_in(std::uint64_t n) { return random_.index(n) == 0; }

  template <class Choices>
  typename Choices::value_type pick(const Choices& choices) {
    return choices[random_.index(choices.size())];
  }

  void add_column(WrittenTable& table, std::size_t position, std::size_t num_rows) {
    table.names.push_back(table.options.has_header ? random_text() + fmt::format("{}", position)
                                                   : fmt::format("column_{}", position + 1));
    table.types.push_back(pick(
        std::array{ColumnType::number, ColumnType::number, ColumnType::date, ColumnType::text}));
    table.values.emplace_back();
    cells_.resize(position);
    cells_.emplace_back();
    for (std::size_t i = 0; i < num_rows; ++i) add_cell(table, position, i == 0);
    if (table.types[position] == ColumnType::text) table.values[position].clear();
  }

  void add_cell(WrittenTable& table, std::size_t position, bool is_first) {
    std::string& cell = cells_[position].emplace_back();
    double value = nan;
    if (!is_first && one_in(8)) {
      cell = pick(std::array<std::string_view, 7>{"", "NA", "n/a", "NaN", "null", "None", "?"});
    } else if (table.types[position] == ColumnType::number) {
      value = random_number();
      cell = written(value);
    } else if (table.types[position] == ColumnType::date) {
      value = static_cast<double>(random_.index(20000));
      cell = written_date(static_cast<int>(value));
    } else {
      cell = random_text();
    }
    table.values[position].push_back(value);
  }

  double random_number() {
    switch (random_.index(4)) {
      case 0:
        return static_cast<double>(random_.index(2000)) - 1000.0;
      case 1:
        return 2000.0 * random_.uniform() - 1000.0;
      case 2:
        return static_cast<double>(random_.index(100000)) / 100.0;
      default: {
        const std::uint64_t high = random_.index(std::uint64_t{1} << 32U);
        const std::uint64_t low = random_.index(std::uint64_t{1} << 32U);
        const auto number = std::bit_cast<double>((high << 32U) | low);
        return std::isnan(number) ? 0.0 : number;
      }
    }
  }

  std::string written(double value) {
    std::array<char, 32> buffer = {};
    const char* end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    std::string text(static_cast<const char*>(buffer.data()), end);
    if (decimal_comma_) std::replace(text.begin(), text.end(), '.', ',');
    if (text.front() != '-' && one_in(8)) text.insert(0, "+");
    return text;
  }

  // From the table of month lengths, day after day: not the way that the reader counts.
  static std::string written_date(int days) {
    const std::array<int, 12> lengths = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = 1970;
    for (;; ++year) {
      const int length = year % 4 == 0 ? 366 : 365;  // right from 1901 to 2099
      if (days < length) break;
      days -= length;
    }
    std::size_t month = 0;
    for (;; ++month) {
      const int length = lengths[month] + (month == 1 && year % 4 == 0 ? 1 : 0);
      if (days < length) break;
      days -= length;
    }
    return fmt::format("{:04}-{:02}-{:02}", year, month + 1, days + 1);
  }

  // Begins and ends with a letter, so that trimming leaves it, and is never a number or a word for
  // a missing value.
  std::string random_text() {
    static constexpr std::array<std::string_view, 14> pieces = {
        "a", "7", ",", ";", "\t", "|", "\"", "\n", "\r\n", "\r", " ", "ä", "€", "😀"};
    std::string text = "x";
    const std::size_t size = random_.index(6);
    for (std::size_t i = 0; i < size; ++i) text += pick(pieces);
    return text + "z";
  }

  void write_records(WrittenTable& table, std::size_t num_rows) {
    write_blank_lines(table);
    if (table.options.has_header) {
      write_record(table, table.names);
      table.text += line_end_;
      ++line_;
    }
    for (std::size_t i = 0; i < num_rows; ++i) {
      write_blank_lines(table);
      table.lines.push_back(line_);
      std::vector<std::string> record;
      for (const std::vector<std::string>& column : cells_) record.push_back(column[i]);
      write_record(table, record);
      if (i + 1 == num_rows && one_in(3)) break;
      table.text += line_end_;
      ++line_;
    }
  }

  void write_blank_lines(WrittenTable& table) {
    while (one_in(6)) {
      table.text += one_in(2) ? " " : "";
      table.text += line_end_;
      ++line_;
    }
  }

  void write_record(WrittenTable& table, const std::vector<std::string>& cells) {
    for (std::size_t j = 0; j < cells.size(); ++j) {
      if (j > 0) table.text += separator_;
      const std::string& cell = cells[j];
      const bool needs_quotes =
          cell.find_first_of(decimal_comma_ ? ";\t|\"\r\n" : ",;\t|\"\r\n") != std::string::npos;
      // A blank line is no record, so a single empty cell needs quotes.
      if (needs_quotes || always_quote_ || (cells.size() == 1 && cell.empty()) || one_in(8)) {
        table.text += '"';
        for (const char c : cell) table.text.append(c == '"' ? 2 : 1, c);
        table.text += '"';
        count_lines(cell);
      } else {
        table.text += (one_in(8) ? " " : "") + cell + (one_in(8) ? " " : "");
      }
    }
  }

  void count_lines(std::string_view cell) {
    for (std::size_t i = 0; i < cell.size(); ++i) {
      if (cell[i] == '\n' || (cell[i] == '\r' && (i + 1 == cell.size() || cell[i + 1] != '\n'))) {
        ++line_;
      }
    }
  }

  Random random_;
  char separator_ = ',';
  bool decimal_comma_ = false;
  bool always_quote_ = false;
  std::string_view line_end_ = "\n";
  std::size_t line_ = 1;
  std::vector<std::vector<std::string>> cells_;
};

bool is_same_number(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

void expect_same(const Table& table, const WrittenTable& written) {
  ASSERT_EQ(table.columns.size(), written.names.size());
  ASSERT_EQ(table.num_rows, written.lines.size());
  for (std::size_t j = 0; j < table.columns.size(); ++j) {
    const Column& column = table.columns[j];
    ASSERT_EQ(column.name, written.names[j]);
    ASSERT_EQ(column.type, written.types[j]);
    ASSERT_EQ(column.conflict, "");
    ASSERT_TRUE(std::equal(column.values.begin(), column.values.end(), written.values[j].begin(),
                           written.values[j].end(), is_same_number));
  }
  for (std::size_t i = 0; i < table.num_rows; ++i) {
    ASSERT_EQ(table.line_of(i + 1), written.lines[i]) << "row " << i + 1;
  }
}

TEST(CsvRoundTrip, WhatIsWrittenInAnyWayIsReadBack) {
  for (std::uint64_t seed = 0; seed < 5000; ++seed) {
    const WrittenTable written = RandomWriter(seed).write();
    SCOPED_TRACE(written.text);
    expect_same(read_csv_text(written.text, "F", written.options), written);
    TextSource bytes(written.text);
    expect_same(read_csv_stream(bytes, "F", written.options, 1 + seed % 7), written);
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace covary
