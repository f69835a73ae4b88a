#include "surrogate/meta_gp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "gp/gaussian_draws.h"
#include "surrogate/meta_gp_likelihood.h"
#include "unit/surrogate/random_distances.h"

namespace covary {
namespace {

struct Fitted {
  MetaGp gp;
  MaximizeSummary summary;
};

Fitted fit(const RandomThings& things, const std::vector<std::size_t>& members,
           const std::vector<double>& values, const SurrogateOptions& options) {
  Random random(1);
  Fitted fitted{MetaGp(options), {}};
  fitted.summary = fitted.gp.fit(things.between(members, members), values, random);
  return fitted;
}

std::vector<double> values_of(const RandomThings& things, const std::vector<std::size_t>& members) {
  std::vector<double> values;
  values.reserve(members.size());
  for (const std::size_t i : members) values.push_back(things.value(i));
  return values;
}

double root_mean_square(const std::vector<double>& errors) {
  return std::sqrt(std::inner_product(errors.begin(), errors.end(), errors.begin(), 0.0) /
                   static_cast<double>(errors.size()));
}

TEST(MetaGp, PredictsASmoothFunctionMuchBetterThanItsMeanDoes) {
  Random random(1);
  for (const SurrogateOptions& options : {SurrogateOptions{}, SurrogateOptions::paper()}) {
    const RandomThings things(160, 3, random);
    const auto members = range(0, 80);
    const auto others = range(80, 160);
    const std::vector<double> values = values_of(things, members);
    const Fitted fitted = fit(things, members, values, options);
    const SurrogatePrediction prediction = fitted.gp.predict(things.between(members, others));
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / 80.0;
    std::vector<double> errors;
    std::vector<double> errors_of_mean;
    for (std::size_t j = 0; j < others.size(); ++j) {
      errors.push_back(things.value(others[j]) - prediction.mean[j]);
      errors_of_mean.push_back(things.value(others[j]) - mean);
    }
    EXPECT_LT(root_mean_square(errors), 0.4 * root_mean_square(errors_of_mean));
  }
}

TEST(MetaGp, ErrsAsMuchAsItSaysOnDrawsFromItsOwnModel) {
  Random random(10);
  constexpr std::size_t count = 120;
  const RandomThings things(count, 3, random);
  const std::vector<Matrix> distances = things.between(range(0, count), range(0, count));
  Matrix covariance(count, count);
  kernel_kernel(distances, {0.0, 2.0, 0.4, 0.0, {0.2, 0.3, 0.5}}, 1.0, covariance);
  const std::vector<double> mean(count, -3.0);
  const Matrix draws = sample_gaussian(mean, covariance, 20, random);
  const auto members = range(0, 60);
  const auto others = range(60, count);
  std::vector<double> standardised;
  for (std::size_t d = 0; d < draws.num_columns(); ++d) {
    const std::vector<double> values(draws.column(d), draws.column(d) + 60);
    const Fitted fitted = fit(things, members, values, {});
    const SurrogatePrediction prediction = fitted.gp.predict(things.between(members, others));
    for (std::size_t j = 0; j < others.size(); ++j) {
      standardised.push_back((draws(others[j], d) - prediction.mean[j]) / prediction.sd[j]);
    }
  }
  EXPECT_GT(root_mean_square(standardised), 0.8);
  EXPECT_LT(root_mean_square(standardised), 1.2);
}

TEST(MetaGp, FindsOutWhichPartOfTheDistanceMatters) {
  Random random(2);
  const RandomThings things(80, 3, random);
  std::vector<double> values;
  for (std::size_t i = 0; i < 80; ++i) values.push_back(things.distance(1, 0, i));  // part 1 only
  for (const SurrogateOptions& options : {SurrogateOptions{}, SurrogateOptions::paper()}) {
    const MetaGpParameters parameters = fit(things, range(0, 80), values, options).gp.parameters();
    EXPECT_GT(parameters.weights[1], 0.7);
    EXPECT_NEAR(parameters.weights[0] + parameters.weights[1] + parameters.weights[2], 1.0, 1e-12);
  }
}

TEST(MetaGp, InterpolatesValuesWithoutNoise) {
  Random random(3);
  const RandomThings things(40, 2, random);
  const auto members = range(0, 40);
  const std::vector<double> values = values_of(things, members);
  const Fitted fitted = fit(things, members, values, SurrogateOptions::paper());
  const SurrogatePrediction prediction = fitted.gp.predict(things.between(members, members));
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_NEAR(prediction.mean[i], values[i], 0.05);
    EXPECT_NEAR(fitted.gp.fitted_mean()[i], prediction.mean[i], 1e-8);
    EXPECT_LT(prediction.sd[i], 0.1);
  }
}

TEST(MetaGp, DoesNotDependOnTheOrderOfTheThings) {
  Random random(4);
  const RandomThings things(60, 3, random);
  std::vector<std::size_t> members = range(0, 40);
  const auto others = range(40, 60);
  const Fitted first = fit(things, members, values_of(things, members), {});
  const SurrogatePrediction one = first.gp.predict(things.between(members, others));
  std::reverse(members.begin() + 3, members.end());
  const Fitted second = fit(things, members, values_of(things, members), {});
  const SurrogatePrediction two = second.gp.predict(things.between(members, others));
  for (std::size_t j = 0; j < others.size(); ++j) {
    EXPECT_NEAR(one.mean[j], two.mean[j], 1e-4);
    EXPECT_NEAR(one.sd[j], two.sd[j], 1e-4);
  }
}

TEST(MetaGp, FollowsAChangeOfTheValuesUnits) {
  Random random(5);
  const RandomThings things(40, 3, random);
  const auto members = range(0, 30);
  const auto others = range(30, 40);
  const std::vector<double> values = values_of(things, members);
  std::vector<double> converted = values;
  for (double& value : converted) value = 1000.0 * value - 5e4;
  const SurrogatePrediction one =
      fit(things, members, values, {}).gp.predict(things.between(members, others));
  const SurrogatePrediction two =
      fit(things, members, converted, {}).gp.predict(things.between(members, others));
  for (std::size_t j = 0; j < others.size(); ++j) {
    EXPECT_NEAR(1000.0 * one.mean[j] - 5e4, two.mean[j], 1e-2);
    EXPECT_NEAR(1000.0 * one.sd[j], two.sd[j], 1e-2);
  }
}

// Few, equal and repeated things: the fit has nothing to go by and must not mind.
TEST(MetaGp, StaysFiniteWhateverTheValues) {
  Random random(6);
  const RandomThings things(12, 3, random);
  const std::vector<std::vector<double>> cases = {
      {1.0},
      {-3.0, 4.0},
      {2.0, 2.0},
      {0.0, 0.0, 0.0, 0.0, 0.0, 0.0},
      {1e-300, 1e-300, 1e-300},
      {1e12, 1e12, 1e12 + 1.0},
      {1.0, 1.0, 1.0, 1.0, -1e6},
      {0.5, 0.6, 0.4, 0.45, -1e15, 0.55, -3.0},
  };
  for (const SurrogateOptions& options : {SurrogateOptions{}, SurrogateOptions::paper()}) {
    for (const std::vector<double>& values : cases) {
      for (const bool repeats : {false, true}) {
        const auto members =
            repeats ? std::vector<std::size_t>(values.size(), 0) : range(0, values.size());
        Fitted fitted = fit(things, members, values, options);
        fitted.gp.believe(things.between(members, {members[0]}));
        auto rows = members;
        rows.push_back(members[0]);
        const SurrogatePrediction prediction =
            fitted.gp.predict(things.between(rows, range(0, 12)));
        for (std::size_t j = 0; j < 12; ++j) {
          ASSERT_TRUE(std::isfinite(prediction.mean[j])) << values.size() << " values";
          ASSERT_TRUE(std::isfinite(prediction.sd[j])) << values.size() << " values";
          ASSERT_GE(prediction.sd[j], 0.0);
        }
      }
    }
  }
}

TEST(MetaGp, BeliefsLeaveTheMeanAndShrinkTheSpread) {
  Random random(7);
  const RandomThings things(60, 3, random);
  const auto members = range(0, 20);
  const auto others = range(40, 60);
  Fitted fitted = fit(things, members, values_of(things, members), {});
  const SurrogatePrediction before = fitted.gp.predict(things.between(members, others));
  auto rows = members;
  for (const std::size_t pending : {20U, 21U, 45U}) {
    fitted.gp.believe(things.between(rows, {pending}));
    rows.push_back(pending);
  }
  const SurrogatePrediction after = fitted.gp.predict(things.between(rows, others));
  for (std::size_t j = 0; j < others.size(); ++j) {
    EXPECT_NEAR(after.mean[j], before.mean[j], 1e-9);
    EXPECT_LE(after.sd[j], before.sd[j] + 1e-9);
  }
  EXPECT_LT(after.sd[5], 0.5 * before.sd[5]);  // thing 45 itself
}

// Conditioning on all values at once says what believing one after the other must give.
TEST(MetaGp, BelievingEqualsConditioningOnThePredictedMeans) {
  Random random(8);
  const RandomThings things(50, 2, random);
  auto members = range(0, 20);
  SurrogateOptions options = SurrogateOptions::paper();
  Fitted fitted = fit(things, members, values_of(things, members), options);
  std::vector<double> values = values_of(things, members);
  auto rows = members;
  for (const std::size_t pending : {20U, 21U, 22U}) {
    const std::vector<Matrix> cross = things.between(rows, {pending});
    values.push_back(fitted.gp.predict(cross).mean[0]);
    fitted.gp.believe(cross);
    rows.push_back(pending);
  }
  const auto others = range(30, 50);
  const SurrogatePrediction believed = fitted.gp.predict(things.between(rows, others));
  fitted.gp.condition(things.between(rows, rows), values);
  const SurrogatePrediction conditioned = fitted.gp.predict(things.between(rows, others));
  for (std::size_t j = 0; j < others.size(); ++j) {
    EXPECT_NEAR(believed.mean[j], conditioned.mean[j], 1e-7);
    EXPECT_NEAR(believed.sd[j], conditioned.sd[j], 1e-7);
  }
}

TEST(MetaGp, WarmStartsFindAnOptimumNoWorseThanAColdOne) {
  Random random(9);
  const RandomThings things(60, 3, random);
  MetaGp warm({});
  for (std::size_t n = 5; n <= 60; n += 5) {
    const auto members = range(0, n);
    const std::vector<double> values = values_of(things, members);
    const double reached = warm.fit(things.between(members, members), values, random).value;
    EXPECT_GE(reached, fit(things, members, values, {}).summary.value - 1e-9);
  }
}

}  // namespace
}  // namespace covary
