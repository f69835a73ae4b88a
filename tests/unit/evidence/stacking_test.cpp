#include "evidence/stacking.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include <covary/random.h>

namespace covary {
namespace {

using LogDensities = std::vector<std::vector<double>>;

LogDensities drawn(std::size_t num_models, std::size_t num_rows, std::uint64_t seed) {
  Random random(seed);
  LogDensities densities(num_models, std::vector<double>(num_rows));
  for (std::vector<double>& model : densities) {
    for (double& density : model) density = 2.0 * random.normal();
  }
  return densities;
}

// The weights' own condition: the slope of the sum of logarithms, with half a row for each model,
// is the same in every direction, namely what the rows and half rows add up to.
TEST(StackedWeights, AreWhereNoOtherWeightsAreBetter) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const LogDensities densities = drawn(6, 40, seed);
    const std::vector<double> weights = stacked_weights(densities);
    EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1.0, 1e-12);
    for (std::size_t k = 0; k < weights.size(); ++k) {
      double slope = 0.5 / weights[k];
      for (std::size_t row = 0; row < 40; ++row) {
        double mixture = 0.0;
        for (std::size_t j = 0; j < weights.size(); ++j) {
          mixture += weights[j] * std::exp(densities[j][row]);
        }
        slope += std::exp(densities[k][row]) / mixture;
      }
      EXPECT_NEAR(slope, 40.0 + 0.5 * 6.0, 1e-3) << k;
    }
  }
}

TEST(StackedWeights, DoNotDependOnOrderNorOnTheUnitOfARow) {
  LogDensities densities = drawn(4, 25, 7);
  const std::vector<double> weights = stacked_weights(densities);
  LogDensities turned(densities.rbegin(), densities.rend());
  for (std::vector<double>& model : turned) {
    std::rotate(model.begin(), model.begin() + 3, model.end());
    for (std::size_t row = 0; row < model.size(); ++row) {
      model[row] += 900.0 * static_cast<double>(row) - 9000.0;
    }
  }
  std::vector<double> again = stacked_weights(turned);
  std::reverse(again.begin(), again.end());
  for (std::size_t k = 0; k < weights.size(); ++k) EXPECT_NEAR(again[k], weights[k], 1e-9);
}

TEST(StackedWeights, OfOneModelTwiceAreShared) {
  const std::vector<double> model = drawn(1, 20, 3).front();
  std::vector<double> worse = model;
  for (double& density : worse) density -= 1.0;
  const std::vector<double> weights = stacked_weights({model, worse, model});
  EXPECT_NEAR(weights[0], weights[2], 1e-12);
  EXPECT_GT(weights[0], 3.0 * weights[1]);
  EXPECT_EQ(stacked_weights({model}), std::vector<double>{1.0});
}

// What stacking is for: each model right about half of the rows is better than either alone, while
// products of densities would give all to the one that is ahead by a little.
TEST(StackedWeights, MixModelsThatAreRightAboutDifferentRows) {
  LogDensities densities(2, std::vector<double>(100, -5.0));
  for (std::size_t row = 0; row < 100; ++row) densities[row < 48 ? 0 : 1][row] = 0.0;
  const std::vector<double> weights = stacked_weights(densities);
  EXPECT_NEAR(weights[0], 0.48, 0.02);
}

TEST(StackedWeights, LeaveOutRowsThatNobodyThinksPossible) {
  LogDensities densities = drawn(3, 15, 5);
  const std::vector<double> weights = stacked_weights(densities);
  for (std::vector<double>& model : densities) {
    model.insert(model.begin() + 4, -std::numeric_limits<double>::infinity());
  }
  EXPECT_EQ(stacked_weights(densities), weights);
}

TEST(StackedWeights, TakeWhatIsNoNumberForImpossible) {
  LogDensities densities = drawn(3, 15, 5);
  densities[1][6] = -std::numeric_limits<double>::infinity();
  const std::vector<double> weights = stacked_weights(densities);
  densities[1][6] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(stacked_weights(densities), weights);
}

}  // namespace
}  // namespace covary
