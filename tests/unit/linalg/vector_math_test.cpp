#include "linalg/vector_math.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include <covary/random.h>

namespace covary {
namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

TEST(VectorMath, ExpIsAccurateToAboutOneUnitInTheLastPlace) {
  Random random(1);
  double worst = 0.0;
  for (int i = 0; i < 200'000; ++i) {
    const double x = -700.0 + 1400.0 * random.uniform();
    worst = std::max(worst, std::abs(lane_exp(x) / std::exp(x) - 1.0));
  }
  EXPECT_LE(worst, 2.0 * epsilon);
}

TEST(VectorMath, ExpIsExactWhereItMatters) {
  EXPECT_EQ(lane_exp(0.0), 1.0);
  EXPECT_EQ(lane_exp(-0.0), 1.0);
  EXPECT_EQ(lane_exp(-1e5), 0.0);
  EXPECT_EQ(lane_exp(-std::numeric_limits<double>::infinity()), 0.0);
  EXPECT_TRUE(std::isnan(lane_exp(std::numeric_limits<double>::quiet_NaN())));
}

TEST(VectorMath, LogIsAccurateToAboutOneUnitInTheLastPlace) {
  Random random(2);
  double worst = 0.0;
  for (int i = 0; i < 200'000; ++i) {
    const double x =
        i % 2 == 0 ? std::exp(-300.0 + 600.0 * random.uniform()) : 1.0 + 3.0 * random.uniform();
    worst = std::max(worst, std::abs(lane_log(x) - std::log(x)) / std::abs(std::log(x)));
  }
  EXPECT_LE(worst, 2.0 * epsilon);
  EXPECT_EQ(lane_log(1.0), 0.0);
}

}  // namespace
}  // namespace covary
