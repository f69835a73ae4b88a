// The sample of the rows that scouts for good starts.
#include "evidence/row_sample.h"

#include <algorithm>
#include <map>
#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>
#include <covary/table.h>

namespace covary {
namespace {

// If `num_days` is not 0, every row belongs to one of so many days.
Dataset readings(std::size_t num_rows, std::size_t num_days) {
  Random random(7);
  std::vector<double> days;
  for (std::size_t d = 0; d < num_days; ++d) days.push_back(random.uniform());
  Table table;
  table.source = "test";
  table.num_rows = num_rows;
  table.line_steps = {{}};
  Column x;
  x.name = "x";
  Column day;
  day.name = "day";
  Column y;
  y.name = "y";
  for (std::size_t i = 0; i < num_rows; ++i) {
    x.values.push_back(random.uniform());
    day.values.push_back(num_days > 0 ? days[random.index(num_days)] : random.uniform());
    y.values.push_back(random.normal());
  }
  table.columns = {x, day, y};
  return make_dataset(table, {.target = "y"});
}

// Rows of the sample that share their day with another one of it.
std::size_t num_companions(const Dataset& data, const std::vector<std::size_t>& sample) {
  std::map<double, std::size_t> count;
  for (const std::size_t row : sample) ++count[data.input(1)[row]];
  std::size_t sum = 0;
  for (const auto& [day, rows] : count) sum += rows > 1 ? rows : 0;
  return sum;
}

TEST(RowSample, HasSoManyDistinctRowsInOrder) {
  for (const std::size_t num_days : {0U, 3U, 150U, 600U}) {
    const Dataset data = readings(600, num_days);
    for (const std::size_t count : {1U, 2U, 125U, 599U, 600U}) {
      const std::vector<std::size_t> sample = row_sample(data, count);
      ASSERT_EQ(sample.size(), count);
      EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
      EXPECT_EQ(std::adjacent_find(sample.begin(), sample.end()), sample.end());
      EXPECT_LT(sample.back(), data.num_rows());
      EXPECT_EQ(sample, row_sample(data, count));
    }
  }
}

TEST(RowSample, IsUniformWhereNothingIsTornApart) {
  for (const std::size_t num_days : {0U, 3U}) {
    Random random(1);
    EXPECT_EQ(row_sample(readings(600, num_days), 125), random.sample(600, 125));
  }
}

TEST(RowSample, KeepsRowsOfOneDayTogether) {
  const Dataset data = readings(600, 200);  // 3 rows a day; of a uniform eighth, most are alone
  Random random(1);
  EXPECT_LT(num_companions(data, random.sample(600, 75)), 35U);
  EXPECT_GT(num_companions(data, row_sample(data, 75)), 55U);
}

}  // namespace
}  // namespace covary
