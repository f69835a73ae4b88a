// A few places of the posterior against all of it, where all of it can be summed up: kernels of two
// parameters and the noise. docs/math/averaging.md has the design.
#include "evidence/posterior_points.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <covary/ensemble.h>
#include <covary/evidence.h>
#include <covary/random.h>

#include "covariance/parameter_space.h"
#include "evidence/curvature.h"
#include "evidence/log_posterior.h"
#include "evidence/training_rows.h"
#include "linalg/symmetric.h"
#include "unit/random_expression.h"

namespace covary {
namespace {

using Numbers = std::vector<double>;

Dataset curve_data(std::size_t num_rows, double (*curve)(double), double noise_sd) {
  Random random(num_rows);
  Numbers x(num_rows);
  Numbers y(num_rows);
  for (std::size_t i = 0; i < num_rows; ++i) {
    x[i] = static_cast<double>(i) / static_cast<double>(num_rows - 1);
    y[i] = curve(x[i]) + noise_sd * random.normal();
  }
  return {{x}, y, {{.name = "x"}}, {.name = "y"}, "", {}};
}

EvidenceOptions with_paper_priors() {
  EvidenceOptions options;
  options.priors = Priors::paper;
  return options;
}

Ensemble mixture_of(const Expression& kernel, const Dataset& data,
                    const std::vector<PosteriorPoint>& points) {
  std::vector<FittedModel> members;
  Numbers log_weights;
  for (const PosteriorPoint& point : points) {
    members.emplace_back(kernel, point.parameters, data);
    log_weights.push_back(std::log(point.weight));
  }
  return {members, log_weights};
}

// Standard deviations at some points under the whole posterior, by a lattice along its axes.
Numbers summed_sd(const Expression& kernel, const Dataset& data, const Numbers& maximum,
                  const Numbers& at) {
  LogPosterior posterior(kernel, training_rows(data, MeanFunction::zero), Laplace::consistent);
  const Numbers centre = posterior.space().free(maximum);
  const double best = posterior.value(centre);
  const Eigen axes =
      symmetric_eigen(*negative_hessian(centre, [&](std::span<Stepper* const> walks) {
        for (Stepper* walk : walks) lead(*walk, posterior);
      }));
  constexpr int reach = 10;  // steps to each side
  constexpr double step = 0.5;
  double total = 0.0;
  Numbers mean(at.size(), 0.0);
  Numbers square(at.size(), 0.0);
  for (int a = -reach; a <= reach; ++a) {
    for (int b = -reach; b <= reach; ++b) {
      for (int c = -reach; c <= reach; ++c) {
        Numbers place = centre;
        const int steps[] = {a, b, c};
        for (std::size_t k = 0; k < 3; ++k) {
          const double length = step * steps[k] / std::sqrt(axes.values[k]);
          for (std::size_t i = 0; i < 3; ++i) place[i] += length * axes.vectors(i, k);
        }
        const double weight = std::exp(posterior.value(place) - best);
        if (!(weight > 1e-7)) continue;
        const FittedModel model(kernel, posterior.space().natural(place), data);
        const Prediction prediction = model.predict({at});
        total += weight;
        for (std::size_t i = 0; i < at.size(); ++i) {
          mean[i] += weight * prediction.mean[i];
          square[i] += weight * (prediction.sd[i] * prediction.sd[i] +
                                 prediction.mean[i] * prediction.mean[i]);
        }
      }
    }
  }
  Numbers sd;
  for (std::size_t i = 0; i < at.size(); ++i) {
    sd.push_back(std::sqrt(square[i] / total - mean[i] * mean[i] / (total * total)));
  }
  return sd;
}

TEST(PosteriorPoints, PredictAsTheWholePosteriorDoes) {
  const Numbers at = {0.33, 1.05, 1.3, 2.0};
  double by_maximum = 0.0;
  double by_points = 0.0;
  for (const Dataset& data : {curve_data(
                                  12, [](double x) { return 1.5 * std::sin(4.0 * x); }, 0.2),
                              curve_data(
                                  10, [](double x) { return 2.0 * x - 1.0; }, 0.3),
                              curve_data(
                                  20, [](double x) { return std::sin(9.0 * x); }, 0.4)}) {
    for (const std::string text : {"SE", "LIN", "MAT32"}) {
      const Expression kernel = parse_expression(text, InputNames::unnamed(1));
      const Evidence evidence = make_oracle(data, with_paper_priors())->evaluate(kernel);
      ASSERT_TRUE(evidence.value) << text;
      const auto points = posterior_points(data, kernel, evidence.parameters, with_paper_priors());
      const Numbers whole = summed_sd(kernel, data, evidence.parameters, at);
      const Numbers best = FittedModel(kernel, evidence.parameters, data).predict({at}).sd;
      const Numbers few = mixture_of(kernel, data, points).predict({at}).sd;
      std::cout << fmt::format("{} {}: {:.3f} best {:.3f} few {:.3f}\n", data.num_rows(), text,
                               fmt::join(whole, " "), fmt::join(best, " "), fmt::join(few, " "));
      for (std::size_t i = 0; i < at.size(); ++i) {
        by_maximum += std::abs(std::log(best[i] / whole[i]));
        by_points += std::abs(std::log(few[i] / whole[i]));
      }
    }
  }
  std::cout << fmt::format("sum of |log|: {} by the maximum, {} by points\n", by_maximum,
                           by_points);
  EXPECT_LT(by_points, 0.5 * by_maximum);
}

// Mean and covariance of the points are those of Laplace's Gaussian where the posterior is one.
TEST(PosteriorPoints, HaveTheMomentsOfThePosterior) {
  const Dataset data = curve_data(
      400, [](double x) { return std::sin(12.0 * x) + std::sin(31.0 * x); }, 0.3);
  const Expression kernel = parse_expression("SE", InputNames::unnamed(1));
  const Evidence evidence = make_oracle(data, with_paper_priors())->evaluate(kernel);
  const auto points = posterior_points(data, kernel, evidence.parameters, with_paper_priors());
  ASSERT_GT(points.size(), 3U);
  EXPECT_EQ(points.front().parameters, evidence.parameters);
  LogPosterior posterior(kernel, training_rows(data, MeanFunction::zero), Laplace::consistent);
  const Numbers centre = posterior.space().free(evidence.parameters);
  const Matrix hessian = *negative_hessian(centre, [&](std::span<Stepper* const> walks) {
    for (Stepper* walk : walks) lead(*walk, posterior);
  });
  double total = 0.0;
  for (const PosteriorPoint& point : points) {
    EXPECT_GT(point.weight, 0.0);
    EXPECT_LE(point.weight, points.front().weight);
    total += point.weight;
  }
  EXPECT_NEAR(total, 1.0, 1e-12);
  // E[(u - centre)' H (u - centre)] is the number of parameters.
  double distance = 0.0;
  for (const PosteriorPoint& point : points) {
    const Numbers place = posterior.space().free(point.parameters);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        distance += point.weight * (place[i] - centre[i]) * hessian(i, j) * (place[j] - centre[j]);
      }
    }
  }
  EXPECT_NEAR(distance, 3.0, 0.3);
}

// Over every base kernel and operator: what is resized predicts the same, and is so much less sure.
TEST(PosteriorPoints, OfAnotherSizePredictTheSameMean) {
  const Dataset data = curve_data(
      25, [](double x) { return 1.0 + std::sin(5.0 * x); }, 0.2);
  const Numbers at = {0.1, 0.52, 1.2};
  Random random(5);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const Expression kernel = random_expression(random, 1 + random.index(6), 1);
    Numbers parameters;
    const ParameterSpace space(kernel);
    for (std::size_t i = 0; i < space.size(); ++i) {
      parameters.push_back(quantile(space[i].parameter.prior, 0.2 + 0.6 * random.uniform()));
    }
    parameters.back() = 0.05;
    constexpr double factor = 1.7;
    const Prediction before = FittedModel(kernel, parameters, data).predict({at});
    const Prediction after =
        FittedModel(kernel, resized(kernel, parameters, factor), data).predict({at});
    for (std::size_t i = 0; i < at.size(); ++i) {
      EXPECT_NEAR(after.mean[i], before.mean[i], 1e-6) << to_string(kernel);
      EXPECT_NEAR(after.sd[i], factor * before.sd[i], 1e-6) << to_string(kernel);
    }
  }
}

// What comes may be calmer or wilder than what was, along time: the mixture has wider tails there.
TEST(PosteriorPoints, DifferInSizeAlongTime) {
  const Dataset plain = curve_data(
      60, [](double x) { return std::sin(12.0 * x); }, 0.3);
  Numbers x(plain.input(0).begin(), plain.input(0).end());
  Numbers y(plain.target().begin(), plain.target().end());
  const Dataset dated({x}, y, {{.name = "x", .factor = 5.0, .days_a_unit = days_of_a_year}},
                      {.name = "y"}, "", {});
  ASSERT_GT(dated.input_scaling(0).year(), 0.0);
  const Expression kernel = parse_expression("SE", InputNames::unnamed(1));
  const Numbers parameters = make_oracle(plain, with_paper_priors())->evaluate(kernel).parameters;
  const auto kurtosis = [&](const Dataset& data) {
    const auto points = posterior_points(data, kernel, parameters, with_paper_priors());
    const Prediction p = mixture_of(kernel, data, points).predict({{0.5}});
    double square = 0.0;
    double fourth = 0.0;
    for (const Prediction::Part& part : p.parts) {
      square += part.weight * part.sd[0] * part.sd[0];
      fourth += 3.0 * part.weight * std::pow(part.sd[0], 4);
    }
    return fourth / (square * square);
  };
  EXPECT_GT(kurtosis(dated), 1.1 * kurtosis(plain));
}

}  // namespace
}  // namespace covary
