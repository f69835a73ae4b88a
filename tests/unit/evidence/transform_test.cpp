// Models of transformed targets: their densities are those of the target itself.
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include <covary/evidence.h>
#include <covary/holdout.h>
#include <covary/model.h>
#include <covary/random.h>

#include "unit/every_transform.h"
#include "unit/series.h"

namespace covary {
namespace {

using Numbers = std::vector<double>;

INSTANTIATE_TEST_SUITE_P(All, EveryTransform, testing::ValuesIn(all_target_transforms()),
                         name_of_case);

double share(int i) { return 0.1 + 0.8 * std::abs(std::sin(0.37 * i)) * (0.5 + 0.012 * i); }

Dataset shares(TargetTransform transform) {
  return series(
             40, [](int i) { return 0.1 * i; }, share)
      .with_transform(transform);
}

// Places of y at which its transform is evenly spaced, and the trapezoid rule over y itself.
struct Grid {
  Numbers y;
  Numbers width;
};
Grid grid_of(const Scaling& scaling, double reach, int num_steps) {
  Grid grid;
  for (int i = -num_steps; i <= num_steps; ++i) {
    grid.y.push_back(scaling.to_raw(reach * i / num_steps));
  }
  for (std::size_t i = 0; i < grid.y.size(); ++i) {
    const double next = i + 1 < grid.y.size() ? grid.y[i + 1] : grid.y[i];
    const double before = i > 0 ? grid.y[i - 1] : grid.y[i];
    grid.width.push_back(0.5 * (next - before));
  }
  return grid;
}

// ∫∫ p(y₁, y₂) dy₁ dy₂ = 1 over the standardised target without its transform.
TEST_P(EveryTransform, TheMarginalLikelihoodIsADensityOfTheTargetItself) {
  if (GetParam() == TargetTransform::log1p) return;  // has an atom at zero
  const Scaling scaling{"y", ColumnType::number, 0.3, 0.7, GetParam(), 2.5};
  const Expression kernel = parse_expression("SE", InputNames::unnamed(1));
  const Grid grid = grid_of(scaling, 9.0, 250);
  double sum = 0.0;
  for (std::size_t i = 0; i < grid.y.size(); ++i) {
    for (std::size_t j = 0; j < grid.y.size(); ++j) {
      const Dataset data({{0.0, 0.4}}, {scaling.to_scaled(grid.y[i]), scaling.to_scaled(grid.y[j])},
                         {Scaling{"x"}}, scaling, std::string(32, '0'), {});
      const FittedModel model(kernel, {0.5, 1.2, 0.1}, data);
      const double unit = scaling.raw_factor();
      sum +=
          std::exp(model.log_marginal_likelihood()) * grid.width[i] / unit * grid.width[j] / unit;
    }
  }
  EXPECT_NEAR(sum, 1.0, 5e-4);  // of the rule
}

// The density that holdout figures use, the mean and the quantiles are of one distribution.
TEST_P(EveryTransform, APredictionIsOneDistribution) {
  const Dataset data = shares(GetParam());
  const FittedModel model(parse_expression("SE", InputNames::unnamed(1)), {0.1, 1.0, 0.05}, data);
  const Prediction prediction = model.predict({{0.72, 5.0}});
  const Numbers tenth = prediction.quantile(0.1);
  const Numbers median = prediction.quantile(0.5);
  const Prediction::Interval interval = prediction.interval(0.8);
  const Grid grid = grid_of(data.target_scaling(), 14.0, 20000);
  for (std::size_t p = 0; p < 2; ++p) {
    double whole = 0.0;
    double mean = 0.0;
    double square = 0.0;
    double below_tenth = 0.0;
    double below_median = 0.0;
    for (std::size_t i = 0; i < grid.y.size(); ++i) {
      const double y = grid.y[i];
      const double mass = std::exp(log_density(prediction, p, y)) * grid.width[i];
      whole += mass;
      mean += mass * y;
      square += mass * y * y;
      if (y < tenth[p]) below_tenth += mass;
      if (y < median[p]) below_median += mass;
    }
    // What a count would be below zero is zero.
    const double at_zero = GetParam() == TargetTransform::log1p ? 1.0 - whole : 0.0;
    EXPECT_NEAR(whole + at_zero, 1.0, 1e-6);
    EXPECT_GE(at_zero, -1e-6);
    EXPECT_NEAR(mean, prediction.mean[p], 1e-4 * (1.0 + mean));
    EXPECT_NEAR(std::sqrt(square - mean * mean), prediction.sd[p], 1e-3 * prediction.sd[p]);
    if (tenth[p] > 0.0) {
      EXPECT_NEAR(at_zero + below_tenth, 0.1, 2e-3);
    }
    EXPECT_NEAR(at_zero + below_median, 0.5, 2e-3);
    EXPECT_DOUBLE_EQ(interval.lower[p], tenth[p]);
  }
}

// The fit sees nothing but the scaled numbers, and each criterion is a log density of all rows: a
// transform is the same as transforming the column oneself, but for the Jacobian.
TEST_P(EveryTransform, EveryCriterionIsThatOfTheTransformedColumnAndTheJacobian) {
  const Dataset data = shares(TargetTransform::none);
  const Dataset column = series(
      40, [](int i) { return 0.1 * i; }, [](int i) { return transformed(GetParam(), share(i)); });
  const double log_jacobian = data.with_transform(GetParam()).log_jacobian();
  const Expression kernel = parse_expression("SE + LIN", InputNames::unnamed(1));
  for (const Criterion criterion : all_criteria()) {
    EvidenceOptions options;
    options.criterion = criterion;
    options.restarts = 4;
    const Evidence by_hand = make_oracle(column, options)->evaluate(kernel);
    options.transform = GetParam();
    const Evidence evidence = make_oracle(data, options)->evaluate(kernel);
    ASSERT_TRUE(evidence.value && by_hand.value) << to_string(criterion);
    EXPECT_NEAR(*evidence.value, *by_hand.value + log_jacobian, 1e-6) << to_string(criterion);
    EXPECT_NEAR(evidence.log_marginal_likelihood, by_hand.log_marginal_likelihood + log_jacobian,
                1e-6);
    EXPECT_EQ(evidence.transform, GetParam());
    const FittedModel model(kernel, evidence.parameters, data.with_transform(GetParam()));
    EXPECT_NEAR(model.log_marginal_likelihood(), evidence.log_marginal_likelihood, 1e-8);
    if (criterion == Criterion::loo) {
      const Numbers densities = model.leave_one_out_log_density();
      EXPECT_NEAR(std::accumulate(densities.begin(), densities.end(), 0.0), *evidence.value, 1e-8);
    }
  }
}

TEST(Transforms, LeftOpenAreTheBestOfThoseThatSuitTheTarget) {
  const Dataset data = shares(TargetTransform::none);
  const Expression kernel = parse_expression("SE", InputNames::unnamed(1));
  EvidenceOptions options;
  options.restarts = 4;
  double best = -1e300;
  std::size_t num_gradients = 0;
  for (const TargetTransform transform : suitable_transforms(raw_target(data))) {
    options.transform = transform;
    const Evidence evidence = make_oracle(data, options)->evaluate(kernel);
    best = std::max(best, *evidence.value);
    num_gradients += evidence.gradient_evaluations;
  }
  options.transform.reset();
  const Evidence chosen = make_oracle(data, options)->evaluate(kernel);
  EXPECT_EQ(*chosen.value, best);
  EXPECT_EQ(chosen.gradient_evaluations, num_gradients);  // all that it cost
  // Data that are transformed already stay so.
  const Evidence again =
      make_oracle(data.with_transform(chosen.transform), options)->evaluate(kernel);
  EXPECT_EQ(*again.value, best);
}

// Samples and holdout figures are in the target's own units, whatever the scaling of the rows.
TEST_P(EveryTransform, SamplesAreDrawsOfTheTarget) {
  const Dataset data = shares(GetParam());
  const FittedModel model(parse_expression("SE", InputNames::unnamed(1)), {0.1, 1.0, 0.05}, data);
  const std::vector<Numbers> points = {{0.72, 2.2}};
  const Prediction prediction = model.predict(points);
  Random random(4);
  const auto draws = model.sample(points, 20000, random, Predicted::target);
  for (std::size_t p = 0; p < 2; ++p) {
    double mean = 0.0;
    double below = 0.0;
    for (const Numbers& draw : draws) {
      mean += draw[p] / 20000.0;
      below += (draw[p] < prediction.quantile(0.3)[p] ? 1.0 : 0.0) / 20000.0;
    }
    EXPECT_NEAR(mean, prediction.mean[p], 0.03 * prediction.sd[p]);
    EXPECT_NEAR(below, 0.3, 0.015);
  }
  const HoldoutFigures own = holdout_figures(model.predict_rows(data), data);
  const Dataset plain = shares(TargetTransform::none);
  const HoldoutFigures other = holdout_figures(model.predict_rows(plain), plain);
  EXPECT_NEAR(own.rmse, other.rmse, 1e-12);
  EXPECT_NEAR(own.nll, other.nll, 1e-9);
  EXPECT_NEAR(own.nll_standardised, other.nll_standardised, 1e-9);
}

}  // namespace
}  // namespace covary
