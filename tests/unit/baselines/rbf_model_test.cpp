#include "baselines/rbf_model.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "baselines/rbf_posterior.h"
#include "linalg/cholesky.h"
#include "unit/baselines/simulated_data.h"

namespace covary {
namespace {

InputColumns columns(const std::vector<Numbers>& inputs) { return {inputs.begin(), inputs.end()}; }

class BothConventions : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(WithJacobian, BothConventions, testing::Bool());

TEST_P(BothConventions, RbfGradientMatchesFiniteDifferences) {
  Random random(1);
  for (const std::size_t num_inputs : {1U, 2U, 5U}) {
    const std::vector<Numbers> inputs = uniform_inputs(30, num_inputs, random);
    Numbers target(30);
    for (double& y : target) y = random.normal();
    RbfPosterior posterior({columns(inputs), target},
                           GetParam() ? Laplace::consistent : Laplace::reference);
    ASSERT_EQ(posterior.size(), num_inputs + 2);
    for (int trial = 0; trial < 20; ++trial) {
      Numbers place(posterior.size());
      for (double& u : place) u = -1.0 + 2.0 * random.uniform();
      Numbers gradient(posterior.size());
      Numbers other(posterior.size());
      Matrix curvature(posterior.size(), posterior.size());
      posterior.value(place);
      posterior.gradient(gradient);
      posterior.value(place);
      posterior.gradient_and_curvature(other, curvature);
      for (std::size_t p = 0; p < posterior.size(); ++p) {
        ASSERT_NEAR(other[p], gradient[p], 1e-8 * (1.0 + std::abs(gradient[p])));
        constexpr double step = 1e-4;
        const double u = place[p];
        place[p] = u + step;
        const double above = posterior.value(place);
        place[p] = u - step;
        const double below = posterior.value(place);
        place[p] = u;
        const double slope = (above - below) / (2.0 * step);
        ASSERT_NEAR(gradient[p], slope, 1e-5 * (1.0 + std::abs(slope))) << "parameter " << p;
      }
    }
  }
}

// log N(y; 0, K + σ² I) with K written out from the formula, and the priors of its own parameters.
TEST(RbfPosterior, IsTheDensityOfTheFormulaAndOfItsOwnPriors) {
  Random random(2);
  const std::vector<Numbers> inputs = uniform_inputs(20, 3, random);
  Numbers target(20);
  for (double& y : target) y = random.normal();
  const Numbers lengthscales = {0.4, 1.3, 0.9};
  const double variance = 0.7;
  const double noise = 0.05;

  Matrix factor(20, 20);
  const CholeskyOutcome outcome = cholesky(factor, [&](Matrix& matrix) {
    for (std::size_t j = 0; j < 20; ++j) {
      for (std::size_t i = j; i < 20; ++i) {
        double square = 0.0;
        for (std::size_t c = 0; c < 3; ++c) {
          square += std::pow((inputs[c][i] - inputs[c][j]) / lengthscales[c], 2.0);
        }
        matrix(i, j) = variance * std::exp(-0.5 * square) + (i == j ? noise : 0.0);
      }
    }
  });
  ASSERT_TRUE(outcome.succeeded);
  Numbers white = target;
  solve_lower(factor, white);
  double expected = -0.5 * (std::inner_product(white.begin(), white.end(), white.begin(), 0.0) +
                            log_determinant(factor) + 20.0 * std::log(2.0 * std::numbers::pi));
  for (const double l : lengthscales) expected += std::log(4.0 * l) - 2.0 * l;  // Gamma(2, 2)
  expected += std::log(9.0 * variance) - 3.0 * variance;                        // Gamma(2, 3)
  expected += std::log(100.0) - 100.0 * noise;                                  // Exponential(100)

  RbfPosterior posterior({columns(inputs), target}, Laplace::reference);
  // Of the product: an SE's lengthscale comes before its variance.
  const Numbers parameters = {0.4, variance, 1.3, 1.0, 0.9, 1.0, noise};
  const Numbers place = posterior.place(parameters);
  EXPECT_NEAR(posterior.value(place), expected, 1e-9 * std::abs(expected));
  const Numbers back = posterior.parameters(place);
  for (std::size_t p = 0; p < parameters.size(); ++p) EXPECT_NEAR(back[p], parameters[p], 1e-12);
}

TEST(FitRbf, RecoversTheLengthscalesThatMadeTheData) {
  Random random(3);
  const std::vector<Numbers> inputs = uniform_inputs(250, 3, random);
  const Numbers truth = {0.2, 1.0, 0.5, 1.0, 2.0, 1.0, 0.01};
  const Numbers target = rbf_draw(inputs, truth, random);
  const std::optional<RbfFit> fit = fit_rbf(plain_dataset(inputs, target), {.restarts = 4});
  ASSERT_TRUE(fit);
  const Numbers& found = fit->model.parameters();
  ASSERT_EQ(found.size(), truth.size());
  for (const std::size_t p : {0U, 2U, 4U}) {
    EXPECT_LT(std::abs(std::log(found[p] / truth[p])), std::log(1.4)) << "parameter " << p;
  }
  EXPECT_NEAR(found.back(), 0.01, 0.004);
  EXPECT_EQ(found[3], 1.0);
  EXPECT_EQ(found[5], 1.0);

  RbfPosterior posterior({columns(inputs), target}, Laplace::consistent);
  EXPECT_GE(fit->log_posterior, posterior.value(posterior.place(truth)));
  EXPECT_NEAR(fit->log_posterior, posterior.value(posterior.place(found)), 1e-6);
}

TEST(FitRbf, IsTheSameForTheSameSeedAndForRowsInAnyOrder) {
  Random random(4);
  const std::vector<Numbers> inputs = uniform_inputs(60, 2, random);
  const Dataset data = plain_dataset(inputs, rbf_draw(inputs, {0.3, 1.0, 0.8, 1.0, 0.02}, random));
  std::vector<std::size_t> backwards(60);
  for (std::size_t i = 0; i < 60; ++i) backwards[i] = 59 - i;
  const std::optional<RbfFit> first = fit_rbf(data, {});
  const std::optional<RbfFit> again = fit_rbf(data, {});
  const std::optional<RbfFit> reversed = fit_rbf(data.rows(backwards), {});
  ASSERT_TRUE(first && again && reversed);
  EXPECT_EQ(first->model.parameters(), again->model.parameters());
  EXPECT_NEAR(first->log_posterior, reversed->log_posterior, 1e-5);
  for (std::size_t p = 0; p < first->model.parameters().size(); ++p) {
    const double value = first->model.parameters()[p];
    EXPECT_NEAR(reversed->model.parameters()[p], value, 1e-2 * value);
  }
}

TEST(FitRbf, GivesNothingWhenInterrupted) {
  Random random(5);
  const std::vector<Numbers> inputs = uniform_inputs(20, 1, random);
  const std::atomic<bool> interrupted = true;
  EXPECT_FALSE(fit_rbf(plain_dataset(inputs, Numbers(20, 0.5)), {}, &interrupted));
}

}  // namespace
}  // namespace covary
