#include "acquisition/expected_improvement.h"

#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include <covary/random.h>

namespace covary {
namespace {

// log ∫_0^∞ u φ(u + x) du = -x²/2 - ½ log 2π + log ∫_0^∞ u exp(-u²/2 - u x) du with x = -z, by the
// trapezoid rule in s with u = exp(s - e^-s), which makes both ends die away doubly exponentially.
double log_improvement_by_quadrature(double place) {
  const auto z = static_cast<long double>(place);
  const long double x = -z;
  const long double scale = 1.0L / (1.0L + std::max(x, 0.0L));
  const long double highest = std::max(0.0L, z);  // of the exponent: -u²/2 - ux at u = max(z, 0)
  const long double shift = 0.5L * highest * highest;
  long double sum = 0.0L;
  constexpr long double step = 1.0L / 128.0L;
  for (int k = -1500; k <= 1500; ++k) {
    const long double s = static_cast<long double>(k) * step;
    const long double u = scale * std::exp(s - std::exp(-s));
    const long double slope = u * (1.0L + std::exp(-s));
    sum += step * slope * u * std::exp(-0.5L * u * u - u * x - shift);
  }
  return static_cast<double>(-0.5L * x * x + shift -
                             0.5L * std::log(2.0L * std::numbers::pi_v<long double>) +
                             std::log(sum));
}

TEST(LogExpectedImprovement, EqualsTheIntegral) {
  for (int i = -350; i <= 175; ++i) {
    const double z = 0.173 * i;
    const double expected = log_improvement_by_quadrature(z);
    const double actual = log_expected_improvement(z, 1.0, 0.0, 0.0);
    EXPECT_NEAR(actual, expected, 1e-12 * (1.0 + std::abs(expected))) << "z = " << z;
  }
  for (const double z : {-2.999999, -3.0, -3.000001, -100.0, -1e3, -1e4}) {
    const double expected = log_improvement_by_quadrature(z);
    EXPECT_NEAR(log_expected_improvement(z, 1.0, 0.0, 0.0), expected,
                1e-12 * (1.0 + std::abs(expected)))
        << "z = " << z;
  }
}

// φ(z) (1/z² - 3/z⁴ + ...) as z goes to minus infinity
TEST(LogExpectedImprovement, FollowsItsExpansionFarAway) {
  for (const double z : {-1e5, -1e6, -1e8, -1e12, -1e100}) {
    const double expected =
        -0.5 * z * z - 0.5 * std::log(2.0 * std::numbers::pi) - 2.0 * std::log(-z);
    const double actual = log_expected_improvement(z, 1.0, 0.0, 0.0);
    EXPECT_TRUE(std::isfinite(actual));
    EXPECT_NEAR(actual / expected, 1.0, 1e-14) << "z = " << z;
  }
}

TEST(LogExpectedImprovement, GrowsWithTheMean) {
  double last = -std::numeric_limits<double>::infinity();
  for (int i = 150; i > 0; --i) {
    const double mean = -10.0 * std::pow(1.12, i);  // from about -2e8 on
    const double value = log_expected_improvement(mean, 1.0, 0.0, 0.0);
    EXPECT_GT(value, last) << mean;
    last = value;
  }
  for (int i = -10'000; i < 10'000; ++i) {
    const double value = log_expected_improvement(1e-3 * i, 1.0, 0.0, 0.0);
    EXPECT_GT(value, last) << 1e-3 * i;
    last = value;
  }
}

TEST(LogExpectedImprovement, GrowsWithTheSpread) {
  for (const double mean : {-1e3, -1.0, 0.0, 2.0}) {
    double last = -std::numeric_limits<double>::infinity();
    for (int i = -70; i < 70; ++i) {
      const double sd = std::pow(1.1, i);
      const double value = log_expected_improvement(mean, sd, 0.5, 0.01);
      EXPECT_GE(value, last - 1e-14) << mean << " " << sd;
      last = value;
    }
  }
}

TEST(LogExpectedImprovement, FollowsShiftsAndUnits) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const double mean = random.normal();
    const double sd = std::exp(random.normal());
    const double incumbent = random.normal();
    const double plain = log_expected_improvement(mean, sd, incumbent, 0.25);
    EXPECT_NEAR(log_expected_improvement(mean + 8.0, sd, incumbent + 8.25, 0.0), plain, 1e-9);
    EXPECT_NEAR(log_expected_improvement(64.0 * mean, 64.0 * sd, 64.0 * incumbent, 16.0),
                plain + std::log(64.0), 1e-9);
  }
}

TEST(LogExpectedImprovement, WithoutSpreadIsTheGainItself) {
  EXPECT_EQ(log_expected_improvement(3.0, 0.0, 1.0, 0.0), std::log(2.0));
  EXPECT_EQ(log_expected_improvement(1.0, 0.0, 3.0, 0.0), -std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace covary
