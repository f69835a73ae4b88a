#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include <covary/holdout.h>

namespace covary {
namespace {

TEST(HoldoutFigures, OfAMixtureAreThoseOfItsMeanAndOfItsMeanDensity) {
  Dataset holdout({{0.0, 1.0}}, {0.5, -1.0}, {Scaling{"x"}},
                  Scaling{"y", ColumnType::number, 10.0, 4.0}, "test", {});
  Prediction prediction;
  prediction.mean = {11.0, 8.0};  // 0.25 and -0.5 on the scaled target
  prediction.sd = {4.0, 4.0};
  prediction.parts = {{0.25, {8.0, 8.0}, {2.0, 4.0}}, {0.75, {12.0, 8.0}, {4.0, 4.0}}};
  const HoldoutFigures figures = holdout_figures(prediction, holdout);
  EXPECT_NEAR(figures.rmse_standardised, std::sqrt((0.25 * 0.25 + 0.5 * 0.5) / 2.0), 1e-12);
  const auto density = [](double y, double mean, double sd) {
    return std::exp(-0.5 * (y - mean) * (y - mean) / (sd * sd)) /
           (sd * std::sqrt(2.0 * std::numbers::pi));
  };
  const double first = 0.25 * density(0.5, -0.5, 0.5) + 0.75 * density(0.5, 0.5, 1.0);
  EXPECT_NEAR(figures.nll_standardised,
              -0.5 * (std::log(first) + std::log(density(-1.0, -0.5, 1.0))), 1e-12);
  // In the target's own units: squares of 4, and densities that are 4 times flatter.
  EXPECT_NEAR(figures.rmse, 4.0 * figures.rmse_standardised, 1e-12);
  EXPECT_NEAR(figures.nll, figures.nll_standardised + std::log(4.0), 1e-12);
}

TEST(HoldoutFigures, CoverageCountsTheRowsInsideTheirIntervals) {
  const Dataset holdout({{0.0, 1.0, 2.0, 3.0}}, {0.0, 1.9, 2.1, -5.0}, {Scaling{"x"}}, Scaling{"y"},
                        "test", {});
  Prediction prediction;
  prediction.mean = {0.0, 0.0, 0.0, 0.0};
  prediction.sd = {1.0, 1.0, 1.0, 1.0};
  EXPECT_DOUBLE_EQ(holdout_figures(prediction, holdout).coverage, 0.5);
}

TEST(HoldoutFigures, ATargetTooFarForTheSquareOfADoubleHasNoNaN) {
  Prediction prediction;
  prediction.mean = {0.0};
  prediction.sd = {1.0};
  prediction.parts = {{0.5, {0.0}, {1.0}}, {0.5, {1.0}, {2.0}}};
  for (const double far : {1e200, -1e200, 1.7e308}) {
    EXPECT_EQ(log_density(prediction, 0, far), -std::numeric_limits<double>::infinity()) << far;
    EXPECT_NEAR(crps(prediction, {far}).front() / std::abs(far), 1.0, 1e-9) << far;
  }
}

}  // namespace
}  // namespace covary
