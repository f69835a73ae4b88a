// Transforms of the target: each is what it says, seen from outside.
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <covary/dataset.h>
#include <covary/random.h>
#include <covary/target_transform.h>

#include "error_of.h"
#include "unit/every_transform.h"
#include "unit/series.h"

namespace covary {
namespace {

using Numbers = std::vector<double>;

INSTANTIATE_TEST_SUITE_P(All, EveryTransform, testing::ValuesIn(all_target_transforms()),
                         name_of_case);

// Values of its domain, from small to large.
Numbers domain_of_test(TargetTransform transform) {
  if (transform == TargetTransform::none) return {-1e6, -3.0, -1e-9, 0.0, 2.5, 1e9};
  if (transform == TargetTransform::log) return {1e-12, 0.02, 1.0, 3.0, 1e12};
  if (transform == TargetTransform::log1p) return {0.0, 1e-9, 1.0, 7.0, 1e6};
  return {1e-9, 0.02, 0.5, 0.75, 0.999};
}

TEST_P(EveryTransform, RisesAndLeadsBackToWhereItCameFrom) {
  double before = -std::numeric_limits<double>::infinity();
  for (const double y : domain_of_test(GetParam())) {
    const double t = transformed(GetParam(), y);
    EXPECT_GT(t, before) << y;
    before = t;
    EXPECT_NEAR(untransformed(GetParam(), t), y, 1e-12 * std::abs(y)) << y;
  }
  EXPECT_EQ(target_transform_from(to_string(GetParam())), GetParam());
}

TEST_P(EveryTransform, HasTheSlopeOfDifferences) {
  for (const double y : {0.03, 0.4, 0.9}) {
    const double h = 1e-6 * y;
    const double slope =
        (transformed(GetParam(), y + h) - transformed(GetParam(), y - h)) / (2.0 * h);
    EXPECT_NEAR(log_slope(GetParam(), transformed(GetParam(), y)), std::log(slope), 1e-8) << y;
  }
}

// Mean and standard deviation of y by the trapezoid rule over the Gaussian.
TEST_P(EveryTransform, HasTheMomentsOfANumericalIntegral) {
  for (const double mean : {-2.0, 0.1, 3.0}) {
    for (const double sd : {1e-3, 0.2, 1.5}) {
      double weight = 0.0;
      double first = 0.0;
      double second = 0.0;
      for (int i = -60000; i <= 60000; ++i) {
        const double z = 2e-4 * i;
        const double density = std::exp(-0.5 * z * z);
        const double y = untransformed(GetParam(), mean + sd * z);
        weight += density;
        first += density * y;
        second += density * y * y;
      }
      first /= weight;
      const double spread = std::sqrt(std::max(second / weight - first * first, 0.0));
      const Moments moments = untransformed_moments(GetParam(), mean, sd);
      EXPECT_NEAR(moments.mean, first, 1e-7 * (1.0 + std::abs(first))) << mean << ' ' << sd;
      EXPECT_NEAR(moments.sd, spread, 1e-5 * spread + 1e-8) << mean << ' ' << sd;
    }
  }
}

TEST_P(EveryTransform, KeepsFarExtrapolationsFinite) {
  for (const double mean : {-1e6, -800.0, 800.0, 1e6}) {
    for (const double sd : {0.0, 1.0, 100.0, 1e5}) {
      const Moments moments = untransformed_moments(GetParam(), mean, sd);
      EXPECT_TRUE(std::isfinite(moments.mean)) << mean << ' ' << sd;
      EXPECT_TRUE(std::isfinite(moments.sd) && moments.sd >= 0.0) << mean << ' ' << sd;
    }
  }
}

TEST(TargetTransforms, AreOfferedByTheRangeOfTheTarget) {
  using enum TargetTransform;
  const auto offered = [](const Numbers& values) { return suitable_transforms(values); };
  EXPECT_EQ(offered({-1.0, 2.0, 5.0}), (std::vector{none}));
  EXPECT_EQ(offered({1.0, 2.0, 5.0}), (std::vector{none, log}));
  EXPECT_EQ(offered({1000.0, 1010.0, 1100.0}), (std::vector{none}));  // hardly bent
  EXPECT_EQ(offered({0.0, 2.0, 5.0}), (std::vector{none, log1p}));    // counts
  EXPECT_EQ(offered({0.0, 2.5, 5.0}), (std::vector{none}));
  EXPECT_EQ(offered({0.1, 0.2, 0.9}), (std::vector{none, logit, log}));
}

// The scaled target changes, what it means does not.
TEST_P(EveryTransform, ChangesTheScaledTargetAndNothingElse) {
  const Dataset data = series(
      20, [](int i) { return i; }, [](int i) { return 0.05 + 0.04 * ((7 * i) % 20); });
  const Dataset changed = data.with_transform(GetParam());
  double mean = 0.0;
  double square = 0.0;
  double log_jacobian = 0.0;
  for (std::size_t i = 0; i < data.num_rows(); ++i) {
    EXPECT_NEAR(raw_target(changed)[i], raw_target(data)[i], 1e-12);
    EXPECT_NEAR(changed.target_scaling().to_scaled(raw_target(data)[i]), changed.target()[i],
                1e-12);
    mean += changed.target()[i] / 20.0;
    square += changed.target()[i] * changed.target()[i] / 20.0;
    const double h = 1e-6;
    log_jacobian += std::log(
        (changed.target_scaling().to_scaled(data.target_scaling().to_raw(data.target()[i] + h)) -
         changed.target_scaling().to_scaled(data.target_scaling().to_raw(data.target()[i] - h))) /
        (2.0 * h));
  }
  EXPECT_NEAR(mean, 0.0, 1e-12);
  EXPECT_NEAR(square, 1.0, 1e-12);
  EXPECT_NEAR(changed.log_jacobian(), log_jacobian, 1e-6);
  EXPECT_EQ(changed.fingerprint(), data.fingerprint());
  EXPECT_TRUE(changed.has_input_scalings_of(data));
}

TEST(TargetTransforms, OfWhatIsOutOfTheirDomainAreRefusedByNameAndValue) {
  const Dataset data = series(
      10, [](int i) { return i; }, [](int i) { return i - 3.5; });
  EXPECT_EQ(error_of(ErrorKind::bad_data, [&] { data.with_transform(TargetTransform::log); }),
            "--transform log needs positive values, but column \"y\" has -3.5; choose another "
            "transform, or none");
}

}  // namespace
}  // namespace covary
