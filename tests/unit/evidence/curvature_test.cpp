// Minus the Hessian of log posteriors, and what the Laplace approximation makes of it.
#include "evidence/curvature.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <covary/random.h>

#include "evidence/log_posterior.h"
#include "evidence/training_rows.h"
#include "linalg/symmetric.h"
#include "unit/evidence/scaled_data.h"
#include "unit/random_expression.h"

namespace covary {
namespace {

using Numbers = std::vector<double>;

// A series with a season and a trend.
Dataset seasonal(std::size_t n, double noise, Random& random) {
  Numbers x;
  Numbers y;
  for (std::size_t i = 0; i < n; ++i) {
    x.push_back(static_cast<double>(i) / static_cast<double>(n - 1));
    y.push_back(std::sin(30.0 * x.back()) + x.back() + noise * random.normal());
  }
  return scaled_data({std::move(x)}, std::move(y));
}

// Led with the diagonal given, and no search for it.
LeadWalks led(const FitWork& work, const Expression& kernel, const LogPrior& prior,
              const TrainingRows& rows, double diagonal) {
  return [&, diagonal](std::span<Stepper* const> walks) {
    FitWork(work).lead(kernel, prior, rows, walks, diagonal);
  };
}

double half_log_determinant(const Matrix& hessian) {
  double sum = 0.0;
  for (const double value : symmetric_eigen(hessian).values) sum += 0.5 * std::log(value);
  return sum;
}

// Near the noise floor and with more on the diagonal, against arithmetic of 60 digits.
TEST(NegativeHessian, HasTheDeterminantOfIndependentCodeToAHundredthOfANat) {
  std::ifstream file(COVARY_TESTS_DIR "/reference/hessian_reference.json");
  const nlohmann::json reference = nlohmann::json::parse(file);
  const Dataset data =
      scaled_data({reference.at("x").get<Numbers>()}, reference.at("y").get<Numbers>());
  const TrainingRows rows = training_rows(data, MeanFunction::zero);
  const std::function<bool()> never;
  const FitWork work(exact_inference(), 1, never);
  ASSERT_GE(reference.at("cases").size(), 6U);
  double worst = 0.0;
  for (const auto& c : reference.at("cases")) {
    const Expression kernel =
        parse_expression(c.at("kernel").get<std::string>(), InputNames::unnamed(1));
    const LogPrior prior(kernel, Laplace::consistent);
    const std::optional<Matrix> hessian =
        negative_hessian(c.at("place").get<Numbers>(),
                         led(work, kernel, prior, rows, c.at("diagonal").get<double>()));
    ASSERT_TRUE(hessian) << c.at("name");
    const double error =
        half_log_determinant(*hessian) - c.at("half_log_determinant").get<double>();
    EXPECT_NEAR(error, 0.0, 0.002) << c.at("name");
    worst = std::max(worst, std::abs(error));
  }
  RecordProperty("worst_error_in_nats", std::to_string(worst));
}

// Most columns are taken from one side; what is seen there must be enough to say when it is not.
TEST(NegativeHessian, OfFittedKernelsIsThatOfDifferencesToBothSides) {
  Random random(21);
  const Dataset data = seasonal(50, 0.1, random);
  const TrainingRows rows = training_rows(data, MeanFunction::zero);
  std::size_t num_columns = 0;
  std::size_t num_gradients = 0;
  int num_compared = 0;
  for (int i = 0; i < 60; ++i) {
    const Expression kernel = random_expression(random, 1 + random.index(5), 1);
    EvidenceOptions options;
    options.restarts = 5;
    const Evidence evidence = make_oracle(data, options)->evaluate(kernel);
    if (!evidence.value || evidence.hessian_repaired) continue;
    LogPosterior posterior(kernel, rows, Laplace::consistent);
    const Numbers place = posterior.space().free(evidence.parameters);
    const std::size_t d = place.size();
    const std::optional<Matrix> hessian =
        negative_hessian(place, [&](std::span<Stepper* const> walks) {
          for (Stepper* walk : walks) lead(*walk, posterior);
          num_gradients += walks.size();
        });
    ASSERT_TRUE(hessian) << kernel;
    Matrix central(d, d);
    std::fill_n(central.data(), d * d, 0.0);
    for (std::size_t j = 0; j < d; ++j) {
      const double step = difference_step / std::sqrt((*hessian)(j, j));
      Numbers sides[2] = {Numbers(d), Numbers(d)};
      for (const int side : {0, 1}) {
        Numbers moved = place;
        moved[j] += side == 0 ? step : -step;
        posterior.value(moved);
        posterior.gradient(sides[side]);
      }
      for (std::size_t p = 0; p < d; ++p) {
        central(p, j) += 0.25 * (sides[1][p] - sides[0][p]) / step;
        central(j, p) += 0.25 * (sides[1][p] - sides[0][p]) / step;
      }
    }
    num_columns += d;
    ++num_compared;
    EXPECT_NEAR(half_log_determinant(*hessian), half_log_determinant(central), 0.005) << kernel;
  }
  EXPECT_GT(num_compared, 30);
  EXPECT_LT(num_gradients, 2 * num_columns);  // or nothing was saved
}

// What a direction without curvature is worth must not depend on how little of it there is.
TEST(Curvature, NothingIsGainedFromABrokenDirection) {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const std::size_t d = 1 + random.index(5);
    Numbers precision;
    for (std::size_t p = 0; p < d; ++p) precision.push_back(std::exp(random.normal()));
    // A rotation, from the eigenvectors of a random matrix, in units of the prior.
    Matrix noise(d, d);
    for (std::size_t k = 0; k < d * d; ++k) noise.data()[k] = random.normal();
    const Eigen axes = symmetric_eigen(noise);
    const auto log_determinant = [&](double curvature) {
      Matrix hessian(d, d);
      for (std::size_t p = 0; p < d; ++p) {
        for (std::size_t q = 0; q < d; ++q) {
          double sum = 0.0;
          for (std::size_t k = 0; k < d; ++k) {
            sum += axes.vectors(p, k) * (k == 0 ? curvature : 40.0) * axes.vectors(q, k);
          }
          hessian(p, q) = sum * std::sqrt(precision[p] * precision[q]);
        }
      }
      const Curvature result =
          curvature_of(hessian, precision, least_curvature(Laplace::consistent));
      EXPECT_EQ(result.is_broken, curvature < 0.1);
      return result.log_determinant(0.0);
    };
    const double as_the_prior = log_determinant(1.0);
    for (const double broken : {0.05, 1e-6, 1e-9, 0.0, -1e-3, -50.0}) {
      EXPECT_NEAR(log_determinant(broken), as_the_prior, 1e-8) << broken;
    }
    EXPECT_NEAR(log_determinant(7.0), as_the_prior + std::log(7.0), 1e-8);
  }
}

// The Laplace formula at the place that is told, from outside.
double laplace_at(const Numbers& parameters, const Expression& kernel, const Dataset& data,
                  Laplace convention) {
  LogPosterior posterior(kernel, training_rows(data, MeanFunction::zero), convention);
  const Numbers place = posterior.space().free(parameters);
  const std::optional<Matrix> hessian =
      negative_hessian(place, [&](std::span<Stepper* const> walks) {
        for (Stepper* walk : walks) lead(*walk, posterior);
      });
  if (!hessian) return std::numeric_limits<double>::quiet_NaN();
  const Curvature curvature =
      curvature_of(*hessian, prior_precision(posterior.space()), least_curvature(convention));
  const auto d = static_cast<double>(place.size());
  return posterior.value(place) + 0.5 * d * std::log(2.0 * std::numbers::pi) -
         0.5 * curvature.log_determinant(0.0);
}

// Fits that are cut short end at saddles, which are left several times: value, curvature and
// parameters are of one place all the same.
TEST(Evidence, IsOfOnePlaceHoweverOftenASaddleWasLeft) {
  Random random(8);
  const Dataset data = seasonal(60, 0.1, random);
  int num_broken = 0;
  for (int i = 0; i < 200; ++i) {
    const Expression kernel = random_expression(random, 3 + random.index(4), 1);
    EvidenceOptions options;
    options.laplace = i % 2 == 0 ? Laplace::consistent : Laplace::reference;
    options.priors = Priors::paper;  // those of laplace_at()
    options.max_iterations = 1 + random.index(2);
    options.restarts = 1;
    options.seed = static_cast<std::uint64_t>(i);
    const Evidence evidence = make_oracle(data, options)->evaluate(kernel);
    if (!evidence.value) continue;
    num_broken += evidence.hessian_repaired ? 1 : 0;
    EXPECT_NEAR(*evidence.value, laplace_at(evidence.parameters, kernel, data, options.laplace),
                0.05)
        << kernel << ' ' << evidence.message;
  }
  EXPECT_GT(num_broken, 5);  // or nothing was shown
}

}  // namespace
}  // namespace covary
