#include "surrogate/meta_gp_likelihood.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include "unit/surrogate/random_distances.h"

namespace covary {
namespace {

SurrogateOptions without_priors(double distance_factor = 1.0) {
  SurrogateOptions options = SurrogateOptions::paper();
  options.distance_factor = distance_factor;
  return options;
}

std::vector<double> random_place(Random& random, std::size_t num_parts) {
  std::vector<double> place = {random.normal(), 0.7 * random.normal(), -3.0 + random.normal()};
  for (std::size_t p = 0; num_parts > 1 && p < num_parts; ++p) place.push_back(random.normal());
  return place;
}

// log N(y; c 1, C) by Gaussian elimination without square roots, written independently.
double log_normal_density(std::vector<std::vector<double>> c, std::vector<double> y) {
  const std::size_t n = y.size();
  double value = -0.5 * static_cast<double>(n) * std::log(2.0 * std::numbers::pi);
  for (std::size_t k = 0; k < n; ++k) {
    value -= 0.5 * (std::log(c[k][k]) + y[k] * y[k] / c[k][k]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const double factor = c[i][k] / c[k][k];
      for (std::size_t j = k; j < n; ++j) c[i][j] -= factor * c[k][j];
      y[i] -= factor * y[k];
    }
  }
  return value;
}

// The density at the given mean, straight from the definitions.
double density_by_definition(const RandomThings& things, const std::vector<double>& values,
                             const std::vector<double>& place, std::size_t num_parts,
                             double distance_factor, double mean) {
  std::vector<double> weights(num_parts, 1.0);
  double sum = 0.0;
  for (std::size_t p = 0; num_parts > 1 && p < num_parts; ++p) {
    weights[p] = 1.0 / (1.0 + std::exp(-place[3 + p]));
    sum += weights[p];
  }
  for (double& weight : weights) weight /= num_parts > 1 ? sum : 1.0;
  const std::size_t n = values.size();
  std::vector<std::vector<double>> c(n, std::vector<double>(n));
  std::vector<double> y(n);
  for (std::size_t i = 0; i < n; ++i) {
    y[i] = values[i] - mean;
    for (std::size_t j = 0; j < n; ++j) {
      double distance = 0.0;
      for (std::size_t p = 0; p < num_parts; ++p) distance += weights[p] * things.distance(p, i, j);
      c[i][j] = std::exp(place[0]) * std::exp(-distance_factor * distance / std::exp(place[1]));
    }
    c[i][i] += 1e-6 + std::exp(place[2]);
  }
  return log_normal_density(c, y);
}

TEST(MetaGpLikelihood, IsTheNormalDensityAtTheBestMean) {
  Random random(1);
  for (int run = 0; run < 60; ++run) {
    const std::size_t num_parts = 1 + random.index(4);
    const std::size_t n = 1 + random.index(25);
    const double factor = run % 2 == 0 ? 1.0 : 0.5;
    const RandomThings things(n, num_parts, random);
    std::vector<double> values(n);
    for (double& value : values) value = 2.0 * random.normal() + 1.0;
    const std::vector<Matrix> distances = things.between(range(0, n), range(0, n));
    MetaGpLikelihood likelihood(distances, values, without_priors(factor));
    const std::vector<double> place = random_place(random, num_parts);
    const double value = likelihood.value(place);
    const double mean = likelihood.parameters().mean;
    const auto density = [&](double m) {
      return density_by_definition(things, values, place, num_parts, factor, m);
    };
    ASSERT_NEAR(value, density(mean), 1e-8 * (1.0 + std::abs(value)));
    ASSERT_GE(value, density(mean + 0.01));
    ASSERT_GE(value, density(mean - 0.01));
  }
}

TEST(MetaGpLikelihood, HasTheGradientOfFiniteDifferences) {
  Random random(2);
  for (int run = 0; run < 100; ++run) {
    const std::size_t num_parts = 1 + random.index(4);
    const std::size_t n = 1 + random.index(30);
    const RandomThings things(n, num_parts, random);
    std::vector<double> values(n);
    for (double& value : values) value = random.normal();
    const std::vector<Matrix> distances = things.between(range(0, n), range(0, n));
    SurrogateOptions options = without_priors(run % 3 == 0 ? 0.5 : 1.0);
    options.has_priors = run % 2 == 0;
    MetaGpLikelihood likelihood(distances, values, options);
    const std::vector<double> place = random_place(random, num_parts);
    std::vector<double> gradient(likelihood.size());
    likelihood.value(place);
    likelihood.gradient(gradient);
    for (std::size_t k = 0; k < place.size(); ++k) {
      constexpr double h = 1e-5;
      std::vector<double> moved = place;
      moved[k] += h;
      const double above = likelihood.value(moved);
      moved[k] -= 2 * h;
      const double below = likelihood.value(moved);
      ASSERT_NEAR(gradient[k], (above - below) / (2 * h), 1e-5 * (1.0 + std::abs(gradient[k])))
          << "number " << k << " of run " << run;
    }
  }
}

TEST(MetaGpLikelihood, HasTheSameGradientWithItsCurvature) {
  Random random(3);
  const RandomThings things(20, 3, random);
  std::vector<double> values(20);
  for (double& value : values) value = random.normal();
  const std::vector<Matrix> distances = things.between(range(0, 20), range(0, 20));
  MetaGpLikelihood likelihood(distances, values, {});
  likelihood.value(random_place(random, 3));
  std::vector<double> alone(likelihood.size());
  std::vector<double> together(likelihood.size());
  Matrix curvature(likelihood.size(), likelihood.size());
  likelihood.gradient(alone);
  likelihood.gradient_and_curvature(together, curvature);
  EXPECT_EQ(alone, together);
  for (std::size_t k = 0; k < alone.size(); ++k) EXPECT_GT(curvature(k, k), 0.0);
}

TEST(MetaGpLikelihood, WithoutPriorsIgnoresAShiftOfAllValues) {
  Random random(4);
  const RandomThings things(15, 3, random);
  std::vector<double> values(15);
  for (double& value : values) value = random.normal();
  std::vector<double> shifted = values;
  for (double& value : shifted) value += 7.0;
  const std::vector<Matrix> distances = things.between(range(0, 15), range(0, 15));
  const std::vector<double> place = random_place(random, 3);
  MetaGpLikelihood first(distances, values, without_priors());
  MetaGpLikelihood second(distances, shifted, without_priors());
  EXPECT_NEAR(first.value(place), second.value(place), 1e-9);
  EXPECT_NEAR(first.parameters().mean + 7.0, second.parameters().mean, 1e-9);
}

TEST(MetaGpLikelihood, IsMinusInfinityWhereNothingCounts) {
  Random random(5);
  const RandomThings things(5, 2, random);
  const std::vector<double> values = {1.0, 2.0, 3.0, 4.0, 5.0};
  const std::vector<Matrix> distances = things.between(range(0, 5), range(0, 5));
  MetaGpLikelihood likelihood(distances, values, {});
  constexpr double nowhere = -std::numeric_limits<double>::infinity();
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(likelihood.value(std::vector<double>{0.0, 0.0, 1e9, 0.0, 0.0}), nowhere);
  EXPECT_EQ(likelihood.value(std::vector<double>{nan, 0.0, 0.0, 0.0, 0.0}), nowhere);
}

}  // namespace
}  // namespace covary
