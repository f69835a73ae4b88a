#include "baselines/elliptical_slice.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace covary {
namespace {

// x ~ N(0, I) in the plane, y = a'x + noise: the posterior's mean and covariance are known.
TEST(EllipticalSlice, LeavesThePosteriorOfALinearGaussianModelInvariant) {
  const double a[] = {1.0, 2.0};
  const double y = 3.0;
  const double noise_variance = 0.5;
  const double total = noise_variance + a[0] * a[0] + a[1] * a[1];
  Random random(1);
  std::vector<double> state = {0.0, 0.0};
  const LogLikelihood log_likelihood = [&](std::span<const double> x) {
    const double rest = y - a[0] * x[0] - a[1] * x[1];
    return -0.5 * rest * rest / noise_variance;
  };
  double current = log_likelihood(state);
  double mean[2] = {};
  double second[3] = {};
  constexpr int num_draws = 200000;
  for (int i = 0; i < num_draws; ++i) {
    current = elliptical_slice_step(state, current, log_likelihood, random);
    ASSERT_EQ(current, log_likelihood(state));
    mean[0] += state[0] / num_draws;
    mean[1] += state[1] / num_draws;
    second[0] += state[0] * state[0] / num_draws;
    second[1] += state[0] * state[1] / num_draws;
    second[2] += state[1] * state[1] / num_draws;
  }
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(mean[i], a[i] * y / total, 0.02) << i;
  EXPECT_NEAR(second[0] - mean[0] * mean[0], 1.0 - a[0] * a[0] / total, 0.02);
  EXPECT_NEAR(second[1] - mean[0] * mean[1], -a[0] * a[1] / total, 0.02);
  EXPECT_NEAR(second[2] - mean[1] * mean[1], 1.0 - a[1] * a[1] / total, 0.02);
}

TEST(EllipticalSlice, StaysWhereItIsIfNoOtherPlaceCounts) {
  Random random(2);
  const std::vector<double> start = {0.3, -0.7};
  std::vector<double> state = start;
  const double value = elliptical_slice_step(
      state, -1.5, [](std::span<const double>) { return -std::numeric_limits<double>::infinity(); },
      random);
  EXPECT_EQ(value, -1.5);
  EXPECT_EQ(state, start);
}

TEST(EllipticalSlice, NeverEntersAPlaceThatDoesNotCount) {
  Random random(3);
  std::vector<double> state = {0.5};
  const LogLikelihood positive = [](std::span<const double> x) {
    return x[0] > 0.0 ? 0.0 : std::numeric_limits<double>::quiet_NaN();
  };
  double value = 0.0;
  double mean = 0.0;
  constexpr int num_draws = 100000;
  for (int i = 0; i < num_draws; ++i) {
    value = elliptical_slice_step(state, value, positive, random);
    ASSERT_GT(state[0], 0.0);
    mean += state[0] / num_draws;
  }
  EXPECT_NEAR(mean, std::sqrt(2.0 / 3.14159265358979), 0.01);  // of a half-normal
}

}  // namespace
}  // namespace covary
