#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/ensemble.h>
#include <covary/error.h>
#include <covary/expression.h>
#include <covary/random.h>

#include "unit/table/error_of.h"

namespace covary {
namespace {

using Columns = std::vector<std::vector<double>>;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

Dataset some_data() {
  Random random(4);
  Columns inputs(1);
  std::vector<double> target;
  for (int i = 0; i < 12; ++i) {
    inputs[0].push_back(random.uniform());
    target.push_back(random.normal());
  }
  return {inputs,
          target,
          {Scaling{"x", ColumnType::number, 2.0, 5.0}},
          Scaling{"y", ColumnType::number, 100.0, 3.0},
          std::string(32, 'a'),
          {}};
}

FittedModel model_of(const std::string& kernel, const std::vector<double>& parameters,
                     const Dataset& data, MeanFunction mean = MeanFunction::zero) {
  return {parse_expression(kernel, InputNames({"x"})), parameters, data, mean};
}

// Three models that disagree.
std::vector<FittedModel> three_models(const Dataset& data) {
  return {model_of("SE", {0.1, 1.0, 0.01}, data), model_of("LIN", {0.7, 0.5, 0.3}, data),
          model_of("SE", {1.0, 2.0, 0.1}, data, MeanFunction::constant)};
}

const Columns points = {{-3.0, 2.0, 2.7, 3.1, 4.4, 6.9, 7.0, 20.0}};
const std::vector<double> some_probabilities = {1e-9, 0.025, 0.5, 0.8, 0.975, 1.0 - 1e-9};

void expect_equal(const Prediction& actual, const Prediction& expected) {
  EXPECT_EQ(actual.mean, expected.mean);
  EXPECT_EQ(actual.sd, expected.sd);
  EXPECT_EQ(actual.latent_sd, expected.latent_sd);
  for (const double probability : some_probabilities) {
    EXPECT_EQ(actual.quantile(probability), expected.quantile(probability));
  }
  for (const double level : {0.01, 0.5, 0.95, 0.9999999999999999}) {
    EXPECT_EQ(actual.interval(level).lower, expected.interval(level).lower);
    EXPECT_EQ(actual.interval(level).upper, expected.interval(level).upper);
  }
}

TEST(Ensemble, OfOneIsTheModelBitForBit) {
  for (const FittedModel& model : three_models(some_data())) {
    const Prediction expected = model.predict(points);
    expect_equal(Ensemble(model).predict(points), expected);
    expect_equal(Ensemble({model}, {-1e300}).predict(points), expected);
    EXPECT_TRUE(Ensemble(model).predict(points).parts.empty());
  }
}

TEST(Ensemble, OfTwoHasTheMomentsOfTheClosedForm) {
  const std::vector<FittedModel> models = three_models(some_data());
  const Ensemble ensemble({models[0], models[1]}, {std::log(3.0) - 500.0, -500.0});
  EXPECT_NEAR(ensemble.weights()[0], 0.75, 1e-13);
  EXPECT_NEAR(ensemble.weights()[1], 0.25, 1e-13);
  const Prediction a = models[0].predict(points);
  const Prediction b = models[1].predict(points);
  const Prediction whole = ensemble.predict(points);
  ASSERT_EQ(whole.mean.size(), points[0].size());
  for (std::size_t i = 0; i < whole.mean.size(); ++i) {
    const double between = 0.75 * 0.25 * std::pow(a.mean[i] - b.mean[i], 2);
    const auto total = [&](double sd_a, double sd_b) {
      return std::sqrt(0.75 * sd_a * sd_a + 0.25 * sd_b * sd_b + between);
    };
    EXPECT_NEAR(whole.mean[i], 0.75 * a.mean[i] + 0.25 * b.mean[i], 1e-11);
    EXPECT_NEAR(whole.sd[i], total(a.sd[i], b.sd[i]), 1e-12);
    EXPECT_NEAR(whole.latent_sd[i], total(a.latent_sd[i], b.latent_sd[i]), 1e-12);
  }
}

TEST(Ensemble, DrawsHaveItsMeanAndItsCovarianceAndThatHasItsSpread) {
  const std::vector<FittedModel> models = three_models(some_data());
  const Ensemble ensemble = Ensemble::from_weights(models, {0.5, 0.3, 0.2});
  const Columns some_points = {{2.7, 3.1, 6.9}};
  constexpr std::size_t num_draws = 20'000;
  for (const Predicted what : {Predicted::function, Predicted::target}) {
    const Prediction prediction = ensemble.predict(some_points);
    const std::vector<double>& spread =
        what == Predicted::target ? prediction.sd : prediction.latent_sd;
    const std::vector<double> covariance = ensemble.covariance(some_points, what);
    Random random(3);
    const auto draws = ensemble.sample(some_points, num_draws, random, what);
    for (std::size_t i = 0; i < 3; ++i) {
      const double sd = spread[i];
      EXPECT_NEAR(std::sqrt(covariance[i * 3 + i]), sd, 1e-10 * sd);
      for (std::size_t j = 0; j < 3; ++j) {
        const double other = spread[j];
        double sum = 0.0;
        for (const std::vector<double>& draw : draws) {
          sum += (draw[i] - prediction.mean[i]) * (draw[j] - prediction.mean[j]);
        }
        EXPECT_NEAR(sum / num_draws, covariance[j * 3 + i], 0.04 * sd * other);
        EXPECT_EQ(covariance[j * 3 + i], covariance[i * 3 + j]);
      }
    }
  }
}

TEST(Ensemble, AQuantileHasItsProbabilityBelowIt) {
  const std::vector<FittedModel> models = three_models(some_data());
  const Ensemble ensemble(models, {-1.0, 0.3, -0.2});
  const Prediction whole = ensemble.predict(points);
  const auto below = [&](std::size_t i, double x) {
    double sum = 0.0;
    for (std::size_t k = 0; k < models.size(); ++k) {
      const Prediction one = models[k].predict(points);
      sum +=
          ensemble.weights()[k] * 0.5 * std::erfc(-(x - one.mean[i]) / one.sd[i] / std::sqrt(2.0));
    }
    return sum;
  };
  for (const double probability : some_probabilities) {
    const std::vector<double> quantile = whole.quantile(probability);
    for (std::size_t i = 0; i < quantile.size(); ++i) {
      EXPECT_NEAR(below(i, quantile[i]), probability, 1e-11 * std::min(probability, 1e-2) + 1e-15);
    }
  }
  const Prediction::Interval interval = whole.interval(0.9);
  for (std::size_t i = 0; i < whole.mean.size(); ++i) {
    EXPECT_NEAR(interval.lower[i], whole.quantile(0.05)[i], 1e-11);
    EXPECT_NEAR(interval.upper[i], whole.quantile(0.95)[i], 1e-11);
  }
}

TEST(Ensemble, TheOrderOfMembersDoesNotMatterInAnyBit) {
  const std::vector<FittedModel> models = three_models(some_data());
  const std::vector<double> log_weights = {-103.1, -102.7, -103.0};
  const Prediction expected = Ensemble(models, log_weights).predict(points);
  std::vector<std::size_t> order = {0, 1, 2};
  while (std::next_permutation(order.begin(), order.end())) {
    const Ensemble shuffled({models[order[0]], models[order[1]], models[order[2]]},
                            {log_weights[order[0]], log_weights[order[1]], log_weights[order[2]]});
    expect_equal(shuffled.predict(points), expected);
  }
}

TEST(Ensemble, EqualLogWeightsOfAnySizeAreEqualWeights) {
  for (const double log_weight : {0.0, -1e308, 1e308, 745.0, -5e-324}) {
    const Ensemble ensemble(three_models(some_data()), std::vector<double>(3, log_weight));
    for (const double weight : ensemble.weights()) EXPECT_DOUBLE_EQ(weight, 1.0 / 3.0);
  }
}

TEST(Ensemble, AMemberWithoutWeightChangesNothing) {
  const std::vector<FittedModel> models = three_models(some_data());
  const Prediction expected = models[1].predict(points);
  for (const std::vector<double>& log_weights :
       {std::vector<double>{-infinity, 0.0, -infinity}, std::vector<double>{-1e308, 1e308, 0.0},
        std::vector<double>{-1e308, -1e300, -1.7e308}, std::vector<double>{-800.0, 0.0, -1e5}}) {
    const Ensemble ensemble(models, log_weights);
    EXPECT_EQ(ensemble.weights(), (std::vector<double>{0.0, 1.0, 0.0}));
    expect_equal(ensemble.predict(points), expected);
  }
}

TEST(Ensemble, CopiesOfOneModelAreThatModel) {
  const FittedModel model = three_models(some_data())[0];
  const Ensemble ensemble({model, model, model}, {0.0, 1.0, 2.5});
  const Prediction expected = model.predict(points);
  const Prediction actual = ensemble.predict(points);
  for (std::size_t i = 0; i < expected.mean.size(); ++i) {
    EXPECT_NEAR(actual.mean[i], expected.mean[i], 1e-12 * std::abs(expected.mean[i]));
    EXPECT_NEAR(actual.sd[i], expected.sd[i], 1e-12 * expected.sd[i]);
  }
  EXPECT_EQ(actual.quantile(0.3), expected.quantile(0.3));
}

TEST(Ensemble, MembersOfOneDatasetShareItsNumbers) {
  const Ensemble ensemble(three_models(some_data()), {0.0, 0.0, 0.0});
  for (const FittedModel& member : ensemble.members()) {
    EXPECT_EQ(member.data().target().data(), ensemble.data().target().data());
  }
}

TEST(Ensemble, MembersNeedTheSameNumbersButNotTheSameCopy) {
  const Dataset data = some_data();
  const FittedModel first = three_models(data)[0];
  const FittedModel again = three_models(some_data())[1];
  EXPECT_EQ(Ensemble({first, again}, {0.0, 0.0}).size(), 2U);
  // Other rows have the same fingerprint: it is that of the whole table.
  const std::vector<std::size_t> rows = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 10};
  const FittedModel other = three_models(data.rows(rows))[1];
  EXPECT_EQ(error_of(ErrorKind::bad_data,
                     [&] {
                       Ensemble({first, again, other}, {0.0, 0.0, 0.0});
                     }),
            "member 3 of the ensemble was fitted to other data than the first");
}

TEST(Ensemble, WhatIsNoEnsembleIsRefusedInASentence) {
  const std::vector<FittedModel> models = three_models(some_data());
  const auto refusal = [](const std::vector<FittedModel>& members,
                          const std::vector<double>& log_weights) {
    return error_of(ErrorKind::bad_data, [&] { Ensemble(members, log_weights); });
  };
  EXPECT_EQ(refusal(models, {0.0, 0.0}), "the ensemble has 3 members and 2 weights");
  EXPECT_EQ(refusal(models, {0.0, not_a_number, 0.0}),
            "log weight 2 of the ensemble is nan; it must be a number, or -inf");
  EXPECT_EQ(refusal(models, {0.0, 0.0, infinity}),
            "log weight 3 of the ensemble is inf; it must be a number, or -inf");
  EXPECT_EQ(refusal(models, {-infinity, -infinity, -infinity}),
            "no member of the ensemble has a weight above zero");
  EXPECT_FALSE(refusal({}, {}).empty());
  const std::size_t many = Ensemble::max_members;
  const std::vector<FittedModel> crowd(many + 1, models[0]);
  EXPECT_EQ(refusal(crowd, std::vector<double>(many + 1, 0.0)),
            "an ensemble has 1 to 256 members, not 257");
  EXPECT_EQ(Ensemble({crowd.begin(), crowd.end() - 1}, std::vector<double>(many, 0.0)).size(),
            many);
}

TEST(Ensemble, GivenWeightsAreKeptOrRefused) {
  const std::vector<FittedModel> models = three_models(some_data());
  const auto refusal = [&](const std::vector<double>& weights) {
    return error_of(ErrorKind::bad_data, [&] { Ensemble::from_weights(models, weights); });
  };
  const std::vector<double> weights = {0.1, 0.2, 0.7};
  EXPECT_EQ(Ensemble::from_weights(models, weights).weights(), weights);
  EXPECT_EQ(refusal({0.5, -0.25, 0.75}),
            "weight 2 of the ensemble is -0.25; it must not be negative");
  EXPECT_EQ(refusal({0.5, 0.5, 0.5}), "the weights of the ensemble add up to 1.5, not 1");
  EXPECT_FALSE(refusal({0.5, not_a_number, 0.5}).empty());
  EXPECT_FALSE(refusal({0.0, infinity, 1.0}).empty());
  EXPECT_FALSE(refusal({0.0, 0.0, 0.0}).empty());
  EXPECT_FALSE(refusal({0.5, 0.5}).empty());
  EXPECT_FALSE(refusal({0.3, 0.3, 0.4 + 1e-9}).empty());
}

TEST(PredictRows, AreThoseOfTheirRawValuesAndOfNoOtherScaling) {
  const Dataset data = some_data();
  const Dataset rows = data.rows(std::vector<std::size_t>{3, 7});
  const Ensemble mixed(three_models(data), {0.0, -1.0, -2.0});
  const Prediction there = mixed.predict_rows(rows);
  const Prediction raw = mixed.predict(raw_inputs(rows));
  ASSERT_EQ(there.mean.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(there.mean[i], raw.mean[i], 1e-9);
    EXPECT_NEAR(there.sd[i], raw.sd[i], 1e-9);
  }
  const Dataset other({{0.1, 0.2}}, {1.0, 2.0}, {Scaling{"x"}}, data.target_scaling(), "", {});
  EXPECT_THROW(mixed.predict_rows(other), Error);
}

}  // namespace
}  // namespace covary
