#include "evidence/break_scan.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>

namespace covary {
namespace {

using Numbers = std::vector<double>;

TEST(BreakScan, FindsALevelAndASlopeThatChange) {
  Random random(3);
  Numbers x;
  Numbers level;
  Numbers slope;
  for (int i = 0; i < 120; ++i) {
    x.push_back(i / 119.0);
    const double noise = 0.2 * (random.uniform() - 0.5);
    level.push_back((i < 70 ? 0.0 : 1.0) + 0.3 * std::sin(0.5 * i) + noise);
    slope.push_back(std::abs(x.back() - 0.3) + noise);
  }
  EXPECT_NEAR(strongest_breaks(x, level, 3).front(), 69.5 / 119.0, 0.02);
  EXPECT_NEAR(strongest_breaks(x, slope, 3).front(), 0.3, 0.1);
}

TEST(BreakScan, DoesNotDependOnTheOrderOfRows) {
  Random random(4);
  Numbers x;
  Numbers y;
  for (int i = 0; i < 50; ++i) {
    x.push_back(i / 49.0);
    y.push_back(random.uniform() + (i > 20 ? 2.0 : 0.0));
  }
  const Numbers backwards_x(x.rbegin(), x.rend());
  const Numbers backwards_y(y.rbegin(), y.rend());
  EXPECT_EQ(strongest_breaks(x, y, 4).front(),
            strongest_breaks(backwards_x, backwards_y, 4).front());
}

TEST(BreakScan, NeedsRowsOnBothSidesAndDifferentValues) {
  EXPECT_TRUE(strongest_breaks(Numbers{0, 1, 2, 3}, Numbers{0, 0, 5, 5}, 3).empty());
  EXPECT_TRUE(strongest_breaks(Numbers(30, 0.5), Numbers(30, 1.0), 3).empty());
}

}  // namespace
}  // namespace covary
