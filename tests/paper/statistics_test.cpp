#include "statistics.h"

#include <gtest/gtest.h>

namespace covary::paper {
namespace {

TEST(Statistics, QuantilesInterpolate) {
  EXPECT_DOUBLE_EQ(quantile({4.0, 1.0, 3.0, 2.0}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({4.0, 1.0, 3.0, 2.0}, 0.0), 1.0);
  EXPECT_DOUBLE_EQ(quantile({4.0, 1.0, 3.0, 2.0}, 1.0), 4.0);
  EXPECT_DOUBLE_EQ(quantile({7.0}, 0.3), 7.0);
}

// From SciPy 1.17: ttest_ind(a, b, equal_var=False) and ttest_1samp(a, 2).
TEST(Statistics, WelchsTestAgreesWithAnIndependentOne) {
  const std::vector<double> a = {1.0, 2.0, 3.0, 4.0, 5.0};
  const std::vector<double> b = {2.0, 4.0, 6.0, 8.0, 10.0, 12.0};
  EXPECT_NEAR(t_test(a, b), 0.04928433820673053, 1e-9);
  EXPECT_NEAR(t_test(b, a), t_test(a, b), 1e-15);
  EXPECT_NEAR(t_test(a, 2.0), 0.2301996410804989, 1e-9);
}

TEST(Statistics, TooFewValuesProveNothing) {
  EXPECT_EQ(t_test({1.0}, {2.0, 3.0}), 1.0);
  EXPECT_EQ(t_test({1.0, 1.0}, {1.0, 1.0}), 1.0);
  EXPECT_EQ(t_test({1.0, 1.0}, {2.0, 2.0}), 0.0);
}

}  // namespace
}  // namespace covary::paper
