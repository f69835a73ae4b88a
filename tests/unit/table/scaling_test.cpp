#include "table/scaling.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/dataset.h>
#include <covary/random.h>
#include <covary/table.h>

namespace covary {
namespace {

using Numbers = std::vector<double>;

constexpr double epsilon = std::numeric_limits<double>::epsilon();
constexpr double infinity = std::numeric_limits<double>::infinity();

Dataset dataset_of(const Numbers& x, const Numbers& y) {
  Table table;
  table.source = "numbers";
  table.num_rows = x.size();
  Column input;
  input.name = "x";
  input.values = x;
  Column target;
  target.name = "y";
  target.values = y;
  table.columns = {input, target};
  return make_dataset(table, {.target = "y"});
}

Numbers random_numbers(Random& random, std::size_t size) {
  Numbers numbers(size);
  for (double& number : numbers) number = std::tan(3.0 * (random.uniform() - 0.5));
  return numbers;
}

Numbers changed(Numbers numbers, double scale, double shift) {
  for (double& number : numbers) number = scale * number + shift;
  return numbers;
}

double largest(const Numbers& numbers) {
  double result = 0.0;
  for (const double number : numbers) result = std::max(result, std::fabs(number));
  return result;
}

TEST(Scaling, InputsFillTheUnitIntervalAndTheTargetHasMeanZeroAndSdOne) {
  Random random(1);
  for (std::size_t size = 3; size < 300; ++size) {
    const Dataset data = dataset_of(random_numbers(random, size), random_numbers(random, size));
    EXPECT_EQ(*std::min_element(data.input(0).begin(), data.input(0).end()), 0.0);
    EXPECT_EQ(*std::max_element(data.input(0).begin(), data.input(0).end()), 1.0);
    const auto count = static_cast<double>(size);
    const double mean = std::accumulate(data.target().begin(), data.target().end(), 0.0) / count;
    double square = 0.0;
    for (const double value : data.target()) square += value * value;
    EXPECT_NEAR(mean, 0.0, 1e-14);
    EXPECT_NEAR(square / count, 1.0, 1e-14);
  }
}

// Rounding the changed numbers moves them by half a unit in the last place; scaled, that is the
// best that any method can keep to.
TEST(Scaling, ShiftsAndUnitsMakeNoDifferenceBeyondRounding) {
  Random random(2);
  for (int trial = 0; trial < 200; ++trial) {
    const Numbers x = random_numbers(random, 50);
    const Numbers y = random_numbers(random, 50);
    const Dataset plain = dataset_of(x, y);
    for (const double scale : {1.0, -1.0, 1e9, 1e12, 1e-9, 1e-12, 1e290, 1e-290}) {
      for (const double shift : {0.0, 1e9, -1e12}) {
        const Numbers new_x = changed(x, scale, scale * shift);
        const Numbers new_y = changed(y, scale, scale * shift);
        const Dataset other = dataset_of(new_x, new_y);
        const double x_error = 4.0 * epsilon * largest(new_x) / other.input_scaling(0).factor;
        const double y_error = 4.0 * epsilon * largest(new_y) / other.target_scaling().factor;
        for (std::size_t i = 0; i < x.size(); ++i) {
          const double expected_x = scale > 0.0 ? plain.input(0)[i] : 1.0 - plain.input(0)[i];
          const double expected_y = scale > 0.0 ? plain.target()[i] : -plain.target()[i];
          ASSERT_NEAR(other.input(0)[i], expected_x, x_error + 1e-15) << scale << " " << shift;
          ASSERT_NEAR(other.target()[i], expected_y,
                      y_error * (1.0 + std::fabs(expected_y)) + 1e-14)
              << scale << " " << shift;
        }
      }
    }
  }
}

TEST(Scaling, PowersOfTwoMakeNoDifferenceAtAll) {
  Random random(3);
  const Numbers x = random_numbers(random, 100);
  const Numbers y = random_numbers(random, 100);
  const Dataset plain = dataset_of(x, y);
  for (const double scale : {0x1p-300, 0x1p-10, 0x1p40, 0x1p1000}) {
    const Dataset other = dataset_of(changed(x, scale, 0.0), changed(y, scale, 0.0));
    EXPECT_TRUE(std::equal(plain.input(0).begin(), plain.input(0).end(), other.input(0).begin()));
    EXPECT_TRUE(std::equal(plain.target().begin(), plain.target().end(), other.target().begin()));
  }
}

TEST(Scaling, SmallDifferencesOnALargeOffsetAreExact) {
  const Numbers y = {1e12 + 0.25, 1e12 + 0.5, 1e12 + 0.75, 1e12 + 1.0, 1e12 + 1.25};
  const Scale scale = standard_scale(y);
  EXPECT_EQ(scale.offset, 1e12 + 0.75);
  EXPECT_NEAR(scale.factor, 0.25 * std::sqrt(2.0), 1e-16);
}

TEST(Scaling, AgreesWithExtendedPrecision) {
  Random random(4);
  for (int trial = 0; trial < 200; ++trial) {
    const Numbers y = changed(random_numbers(random, 500), 1.0, 1e6);
    long double sum = 0.0L;
    for (const double value : y) sum += static_cast<long double>(value);
    const long double mean = sum / 500.0L;
    long double squares = 0.0L;
    for (const double value : y) {
      squares +=
          (static_cast<long double>(value) - mean) * (static_cast<long double>(value) - mean);
    }
    const Scale scale = standard_scale(y);
    EXPECT_NEAR(scale.offset, static_cast<double>(mean), 2.0 * epsilon * 1e6);
    const auto sd = static_cast<double>(std::sqrt(squares / 500.0L));
    EXPECT_NEAR(scale.factor, sd, 8.0 * epsilon * sd);
  }
}

TEST(Scaling, TheLargestNumbersDoNotOverflow) {
  const double max = std::numeric_limits<double>::max();
  const Dataset data = dataset_of({0.5 * max, -0.4 * max, 0.1}, {max, -max, 0.5 * max});
  for (const double value : data.target()) EXPECT_TRUE(std::isfinite(value));
  for (const double value : data.input(0)) EXPECT_TRUE(value >= 0.0 && value <= 1.0);
  EXPECT_NEAR(data.target_scaling().to_raw(data.target()[0]) / max, 1.0, 1e-15);
  EXPECT_NEAR(data.target_scaling().to_raw(data.target()[1]) / max, -1.0, 1e-15);
}

TEST(Scaling, SpreadsThatDoNotFitAreSaid) {
  EXPECT_EQ(unit_interval_scale(Numbers{-1e308, 1e308}).factor, infinity);
  EXPECT_EQ(unit_interval_scale(Numbers{0.0, 5e-324}).factor, 0.0);
  EXPECT_EQ(standard_scale(Numbers{0.0, 5e-324, 1e-323}).factor, 0.0);
  EXPECT_TRUE(std::isfinite(standard_scale(Numbers{-1.7e308, 1.7e308}).factor));
}

TEST(Scaling, CanBeUndone) {
  Random random(5);
  for (int trial = 0; trial < 2000; ++trial) {
    Scaling scaling;
    scaling.offset = 1e6 * (random.uniform() - 0.5);
    scaling.factor = std::exp(20.0 * (random.uniform() - 0.5));
    const double raw = scaling.offset + scaling.factor * 10.0 * (random.uniform() - 0.5);
    EXPECT_NEAR(scaling.to_raw(scaling.to_scaled(raw)), raw,
                4.0 * epsilon * (std::fabs(raw) + std::fabs(scaling.offset)));
  }
}

TEST(Scaling, FiniteNumbersStayFiniteAndOthersAreKept) {
  const double max = std::numeric_limits<double>::max();
  const Scaling small{"x", ColumnType::number, 1.0, 1e-300};
  EXPECT_EQ(small.to_scaled(1e300), max);
  const Scaling large{"x", ColumnType::number, max, max};
  EXPECT_EQ(large.to_raw(1.0), max);
  EXPECT_EQ(large.to_raw(-1.0), 0.0);
  EXPECT_EQ(large.to_raw(-2.0), -max);
  EXPECT_EQ(large.to_scaled(-max), -2.0);
  EXPECT_EQ(large.to_scaled(infinity), infinity);
  EXPECT_TRUE(std::isnan(large.to_scaled(std::numeric_limits<double>::quiet_NaN())));
}

}  // namespace
}  // namespace covary
