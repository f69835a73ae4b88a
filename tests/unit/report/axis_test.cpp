#include "report/axis.h"

#include <cmath>

#include <gtest/gtest.h>

namespace covary {
namespace {

std::vector<std::string> texts(const FigureAxis& axis, std::size_t wanted) {
  std::vector<std::string> result;
  for (const Tick& tick : ticks(axis, wanted)) result.push_back(tick.text);
  return result;
}

TEST(Ticks, AreRoundNumbersInsideTheAxis) {
  for (const double size : {1e-9, 0.003, 0.7, 1.0, 12.0, 5e4, 3e12}) {
    for (const double low : {-0.6 * size, 0.0, 17.0 * size}) {
      const FigureAxis axis{"", ColumnType::number, low, low + size};
      const std::vector<Tick> found = ticks(axis, 6);
      ASSERT_GE(found.size(), 3U) << size;
      ASSERT_LE(found.size(), 8U) << size;
      const double step = found[1].place - found[0].place;
      const double digit = step / std::pow(10.0, std::floor(std::log10(step) + 1e-9));
      EXPECT_TRUE(std::abs(digit - 1) < 1e-6 || std::abs(digit - 2) < 1e-6 ||
                  std::abs(digit - 5) < 1e-6)
          << step;
      for (const Tick& tick : found) {
        EXPECT_GE(tick.place, axis.low - 1e-6 * size);
        EXPECT_LE(tick.place, axis.high + 1e-6 * size);
      }
    }
  }
}

TEST(Ticks, HaveTheDecimalsOfTheirStepAndARealMinus) {
  EXPECT_EQ(texts({"", ColumnType::number, -0.5, 1.0}, 3),
            (std::vector<std::string>{"−0.5", "0.0", "0.5", "1.0"}));
  EXPECT_EQ(texts({"", ColumnType::number, 1949, 1961}, 6),
            (std::vector<std::string>{"1950", "1952", "1954", "1956", "1958", "1960"}));
}

TEST(Ticks, OfDatesFallOnTheCalendar) {
  // 2019-11-15 to 2021-02-03, in days since 1970.
  EXPECT_EQ(texts({"", ColumnType::date, 18215, 18661}, 5),
            (std::vector<std::string>{"2020-01", "2020-04", "2020-07", "2020-10", "2021-01"}));
  EXPECT_EQ(texts({"", ColumnType::date, -7670, 0}, 4),
            (std::vector<std::string>{"1950", "1960", "1970"}));
  const double noon = 86400.0 * 18262.5;
  EXPECT_EQ(texts({"", ColumnType::date_time, noon, noon + 4 * 3600.0}, 4),
            (std::vector<std::string>{"12:00", "13:00", "14:00", "15:00", "16:00"}));
}

TEST(Ticks, AreNoneWhereThereIsNoRange) {
  EXPECT_TRUE(ticks({"", ColumnType::number, 3.0, 3.0}, 5).empty());
  EXPECT_TRUE(ticks({"", ColumnType::date, 3.0, 3.0}, 5).empty());
}

TEST(AxisOver, ShowsAllValuesAlsoIfTheyAreEqual) {
  const FigureAxis axis = axis_over({2.0, std::nan(""), 4.0}, 0.1);
  EXPECT_DOUBLE_EQ(axis.low, 1.8);
  EXPECT_DOUBLE_EQ(axis.high, 4.2);
  const FigureAxis flat = axis_over({7.0, 7.0}, 0.1);
  EXPECT_LT(flat.low, 7.0);
  EXPECT_GT(flat.high, 7.0);
}

}  // namespace
}  // namespace covary
