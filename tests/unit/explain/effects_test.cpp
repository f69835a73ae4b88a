#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <covary/effects.h>
#include <covary/evidence.h>

namespace covary {
namespace {

constexpr std::size_t num_rows = 24;

// Two inputs that are independent of each other, and a third that does nothing.
Dataset table() {
  Random random(3);
  std::vector<std::vector<double>> inputs(3);
  std::vector<double> target;
  for (std::size_t i = 0; i < num_rows; ++i) {
    for (auto& column : inputs) column.push_back(random.uniform());
    target.push_back(std::sin(4.0 * inputs[0][i]) + inputs[1][i] * inputs[1][i] +
                     inputs[0][i] * inputs[1][i]);
  }
  return {inputs,
          target,
          {Scaling{.name = "a", .offset = 10.0, .factor = 2.0}, Scaling{"b"}, Scaling{"c"}},
          Scaling{.name = "y", .offset = 5.0, .factor = 3.0},
          std::string(32, '0'),
          {}};
}

FittedModel model_of(const std::string& text, const Dataset& data) {
  const Expression kernel = parse_expression(text, InputNames(data.input_names()));
  std::vector<double> parameters(kernel.num_parameters() + 1, 0.7);
  parameters.back() = 0.01;
  return {kernel, parameters, data};
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

std::vector<double> raw(const Dataset& data, std::size_t column) {
  std::vector<double> values;
  for (const double x : data.input(column)) values.push_back(data.input_scaling(column).to_raw(x));
  return values;
}

TEST(Effects, AreThePredictionsMeanOverAllCombinationsOfTheOtherInputs) {
  const Dataset data = table();
  const FittedModel model = model_of("SE(a)*RQ(b) + SE(b)", data);
  const Effects effects{Decomposition(model)};
  const std::vector<double> a = raw(data, 0);
  const std::vector<double> b = raw(data, 1);
  const std::vector<double> places = {10.1, 11.0, 11.9};
  // By brute force: every value of b at each place of a, and the same over all places.
  const auto mean_at = [&](double place) {
    return mean_of(model.predict({std::vector<double>(num_rows, place), b, b}).mean);
  };
  double grand = 0.0;
  for (const double place : a) grand += mean_at(place) / static_cast<double>(num_rows);
  const Effects::Curve curve = effects.main_effect(0, places);
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_NEAR(curve.mean[i], mean_at(places[i]) - grand, 1e-8);
    EXPECT_GT(curve.sd[i], 0.0);
  }
}

TEST(Effects, HaveTheSpreadOfTheAveragedFunction) {
  const Dataset data = table();
  const FittedModel model = model_of("SE(a)*SE(b)", data);
  const Effects effects{Decomposition(model)};
  const std::vector<double> b = raw(data, 1);
  const std::vector<double> a = raw(data, 0);
  // The function at `place` less its mean over all rows' a, both averaged over b, as one weighted
  // sum over points, whose variance follows from their covariance.
  const double place = 10.4;
  std::vector<double> weights;
  std::vector<std::vector<double>> points(3);
  const auto add = [&](double x, double weight) {
    for (const double y : b) {
      points[0].push_back(x);
      points[1].push_back(y);
      points[2].push_back(0.0);
      weights.push_back(weight / static_cast<double>(num_rows));
    }
  };
  add(place, 1.0);
  for (const double x : a) add(x, -1.0 / static_cast<double>(num_rows));
  const std::vector<double> covariance = model.covariance(points);
  const std::size_t size = weights.size();
  double variance = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      variance += weights[i] * weights[j] * covariance[i * size + j];
    }
  }
  EXPECT_NEAR(effects.main_effect(0, {place}).sd[0], std::sqrt(variance), 1e-6);
}

TEST(Effects, OfASurfaceAreBothMainEffectsAndTheInteraction) {
  const Dataset data = table();
  const Effects effects{Decomposition(model_of("SE(a)*RQ(b) + LIN(c)", data))};
  const std::vector<double> a = {10.2, 11.5};
  const std::vector<double> b = {0.1, 0.4, 0.9};
  const Effects::Surface surface = effects.surface(0, 1, a, b);
  const std::vector<double> first = effects.main_effect(0, a).mean;
  const std::vector<double> second = effects.main_effect(1, b).mean;
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t at = i * b.size() + j;
      EXPECT_NEAR(surface.together[at], first[i] + second[j] + surface.interaction[at], 1e-12);
    }
  }
}

TEST(Effects, HaveNoInteractionBetweenInputsOfDifferentParts) {
  const Dataset data = table();
  EXPECT_TRUE(Effects{Decomposition(model_of("SE(a) + SE(b)", data))}.interactions().empty());
  const auto found = Effects{Decomposition(model_of("SE(a)*SE(b) + LIN(c)", data))}.interactions();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].first, 0U);
  EXPECT_EQ(found[0].second, 1U);
  EXPECT_GT(found[0].sd, 0.0);
}

TEST(Effects, AreZeroForAnInputThatTheKernelDoesNotUse) {
  const Effects effects{Decomposition(model_of("SE(a)*SE(b)", table()))};
  const Effects::Curve curve = effects.main_effect(2, {0.2, 0.8});
  for (const double value : curve.mean) EXPECT_EQ(value, 0.0);
  for (const double value : curve.sd) EXPECT_EQ(value, 0.0);
}

}  // namespace
}  // namespace covary
