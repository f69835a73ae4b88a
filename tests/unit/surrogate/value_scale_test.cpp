#include "surrogate/value_scale.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>

namespace covary {
namespace {

TEST(ValueScale, GivesMeanZeroAndVarianceOne) {
  Random random(1);
  std::vector<double> values(51, -1e5);
  for (std::size_t i = 0; i < 50; ++i) values[i] = 5.0 + 3.0 * random.normal();
  const ValueScale scale(values, {});
  double sum = 0.0;
  double squares = 0.0;
  for (const double value : values) sum += scale.to_scale(value);
  for (const double value : values) squares += scale.to_scale(value) * scale.to_scale(value);
  EXPECT_NEAR(sum / 51.0, 0.0, 1e-12);
  EXPECT_NEAR(squares / 51.0, 1.0, 1e-12);
}

TEST(ValueScale, KeepsTheOrderOfAllValuesAndReturnsThoseAboveTheEdge) {
  Random random(2);
  std::vector<double> values = {-1e300, -1e9, -1e3, -50.0};
  for (int i = 0; i < 30; ++i) values.push_back(random.normal());
  const ValueScale scale(values, {});
  for (const double a : values) {
    for (const double b : values) {
      EXPECT_EQ(a < b, scale.to_scale(a) < scale.to_scale(b)) << a << " " << b;
    }
    if (a > -3.0) {
      EXPECT_NEAR(scale.from_scale(scale.to_scale(a)), a, 1e-9);
    }
  }
}

TEST(ValueScale, HardlyNoticesHowBadTheWorstValueIs) {
  const auto spread_of_the_good = [](double worst) {
    const std::vector<double> values = {1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, worst};
    const ValueScale scale(values, {});
    return scale.to_scale(1.6) - scale.to_scale(1.0);
  };
  EXPECT_GT(spread_of_the_good(-1e6), 0.2 * spread_of_the_good(0.0));
}

TEST(ValueScale, LeavesValuesAloneIfToldTo) {
  const std::vector<double> values = {1.0, 2.0, 3.0, -1e6};
  const ValueScale scale(values, {.is_standardised = false, .pulls_in_low_values = false});
  for (const double value : values) EXPECT_EQ(scale.to_scale(value), value);
  EXPECT_EQ(ValueScale().to_scale(4.0), 4.0);
}

TEST(ValueScale, OfEqualValuesHasTheUnitOne) {
  for (const double value : {0.0, 1.0, -1e-300, 1e300}) {
    const std::vector<double> values = {value, value, value};
    const ValueScale scale(values, {});
    EXPECT_EQ(scale.unit(), 1.0);
    EXPECT_NEAR(scale.to_scale(value) / std::max(std::abs(value), 1.0), 0.0, 1e-12);
  }
}

}  // namespace
}  // namespace covary
