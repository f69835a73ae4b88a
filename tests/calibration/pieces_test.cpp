// The pieces of the calibration study: what is drawn, what a whole posterior is taken for, and how
// far from right a share may be by chance.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <boost/math/special_functions/gamma.hpp>
#include <gtest/gtest.h>

#include <covary/evidence.h>

#include "evidence/prior_scales.h"
#include "evidence/training_rows.h"
#include "inference.h"
#include "process.h"
#include "summary.h"
#include "whole_posterior.h"

namespace covary::calibration {
namespace {

using Numbers = std::vector<double>;

double cdf(const Prior& prior, double value) {
  const auto normal = [](double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); };
  switch (prior.family) {
    case Prior::Family::gamma:
      return boost::math::gamma_p(prior.first, prior.second * value);
    case Prior::Family::exponential:
      return 1.0 - std::exp(-prior.first * value);
    case Prior::Family::normal:
      return normal((value - prior.first) / prior.second);
    case Prior::Family::log_normal:
      return normal(std::log(value / prior.first) / prior.second);
    case Prior::Family::log_uniform:
      return std::log(value / prior.first) / std::log(prior.second / prior.first);
  }
  return 0.0;
}

TEST(Process, ParametersAreDrawnFromTheWholeOfTheirPriors) {
  constexpr std::size_t num_draws = 4000;
  for (const bool is_monthly : {false, true}) {
    const Setting setting = {.is_monthly = is_monthly};
    const Dataset rows = rows_at(setting, training_places(setting), Numbers(40, 0.0));
    const Expression kernel = parse_expression("CP(PER*SE, RW + LIN)", InputNames::unnamed(1));
    const ParameterSpace space(kernel, prior_scales(rows, Priors::informed));
    Random random(1);
    std::vector<Numbers> ranks(space.size());
    for (std::size_t d = 0; d < num_draws; ++d) {
      const Numbers values = draw_parameters(space, random);
      for (std::size_t i = 0; i < values.size(); ++i) {
        ranks[i].push_back(cdf(space[i].parameter.prior, values[i]));
      }
    }
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      EXPECT_GT(uniformity_of(ranks[i]).p_value, 1e-3) << to_string(space[i].parameter.prior);
      EXPECT_LT(*std::min_element(ranks[i].begin(), ranks[i].end()), 0.004);
      EXPECT_GT(*std::max_element(ranks[i].begin(), ranks[i].end()), 0.996);
    }
  }
}

TEST(Process, KernelsAreDrawnAsOftenAsTheyAreProbable) {
  const Setting setting = {.num_rows = 5, .num_inside = 1, .num_ahead = 1};
  const Candidates candidates = candidates_of(setting);
  Numbers counts(candidates.kernels.size(), 0.0);
  Random random(2);
  constexpr double num_draws = 5000.0;
  for (int d = 0; d < static_cast<int>(num_draws); ++d) {
    counts[draw_truth(setting, candidates, random).kernel] += 1.0;
  }
  double sum = 0.0;
  for (std::size_t k = 0; k < counts.size(); ++k) {
    const double p = std::exp(candidates.log_probability[k]);
    sum += p;
    const double error = std::sqrt(num_draws * p * (1.0 - p));
    EXPECT_NEAR(counts[k], num_draws * p, 4.0 * error + 1.0);
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
}

// Rows come out as far from each other as their kernel says.
TEST(Process, RowsHaveTheCovarianceOfTheirKernel) {
  const Setting setting = {
      .space = "LIN", .max_leaves = 1, .num_rows = 3, .num_inside = 0, .num_ahead = 1};
  const Candidates candidates = candidates_of(setting);
  ASSERT_EQ(candidates.kernels.size(), 1U);
  Random random(3);
  Numbers whitened;
  for (int d = 0; d < 3000; ++d) {
    const Truth truth = draw_truth(setting, candidates, random);
    const Numbers& p = truth.parameters;
    // At x = 0 there are the constant and the noise; the difference of two rows has a slope.
    const double x = truth.unseen.input(0)[0];
    const double rise = truth.unseen.target()[0] - truth.rows.target()[0];
    whitened.push_back(truth.rows.target()[0] / std::sqrt(p[1] + p[2]));
    whitened.push_back(rise / std::sqrt(p[0] * x * x + 2.0 * p[2]));
    EXPECT_GT(x, 1.0);
    EXPECT_LE(x, 1.25);
  }
  double squares = 0.0;
  for (const double z : whitened) squares += z * z;
  const auto n = static_cast<double>(whitened.size());
  EXPECT_NEAR(squares / n, 1.0, 4.0 * std::sqrt(2.0 / (0.5 * n)));
}

// Against a lattice over the two free numbers of a constant with noise.
TEST(WholePosterior, HasTheEvidenceAndTheQuantilesOfALattice) {
  const Setting setting = {.num_rows = 6};
  const Numbers target = {0.9, 1.1, 0.4, 1.3, 0.8, 1.2};
  const Dataset rows = rows_at(setting, training_places(setting), target);
  const Expression kernel = parse_expression("C", InputNames::unnamed(1));
  const std::vector<InputScale> scales = prior_scales(rows, Priors::informed);
  LogPosterior posterior(kernel, training_rows(rows, MeanFunction::zero),
                         LogPrior(kernel, Laplace::consistent, scales));
  double mass = 0.0;
  double mass_below = 0.0;  // of a noise variance of a tenth
  constexpr double step = 0.05;
  for (int i = 0; i < 540; ++i) {
    for (int j = 0; j < 400; ++j) {
      const double a = -15.0 + step * i;
      const double b = -15.0 + step * j;
      const double part = step * step * std::exp(posterior.value(Numbers{a, b}));
      mass += part;
      if (posterior.space().natural(1, b + 0.5 * step) < 0.1) mass_below += part;
    }
  }
  Bell bell = {posterior.space().free(Numbers{0.8, 0.1}), Matrix(2, 2)};
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t j = 0; j < 2; ++j) bell.covariance(i, j) = i == j ? 0.5 : 0.0;
  }
  Random random(4);
  const WholePosterior whole = whole_posterior(posterior, bell, 20'000, random);
  EXPECT_GT(whole.effective_size, 5000.0);
  EXPECT_NEAR(whole.log_evidence, std::log(mass), 0.02);
  double below = 0.0;
  for (std::size_t s = 0; s < whole.places.size(); ++s) {
    if (posterior.space().natural(1, whole.places[s][1]) < 0.1) below += whole.weights[s];
  }
  EXPECT_NEAR(below, mass_below / mass, 0.02);
  double resampled_below = 0.0;
  const std::vector<Numbers> chosen = whole.resampled(2000, random);
  for (const Numbers& place : chosen) {
    if (posterior.space().natural(1, place[1]) < 0.1) resampled_below += 1.0 / 2000.0;
  }
  EXPECT_NEAR(resampled_below, below, 0.005);
}

TEST(Uniformity, IsLostBySmallShiftsOfManyValues) {
  Numbers even;
  for (int i = 0; i < 400; ++i) even.push_back((i + 0.5) / 400.0);
  EXPECT_NEAR(uniformity_of(even).distance, 0.5 / 400.0, 1e-12);
  EXPECT_GT(uniformity_of(even).p_value, 0.999);
  Numbers shifted = even;
  for (double& value : shifted) value = value * value;  // half of them below a quarter
  EXPECT_NEAR(uniformity_of(shifted).distance, 0.25, 0.005);
  EXPECT_LT(uniformity_of(shifted).p_value, 1e-6);
  // The 5 % point of Kolmogorov's distribution.
  Numbers some = even;
  const double reach = 1.358 / std::sqrt(400.0);
  for (double& value : some) value = std::max(value - reach, 0.0);
  EXPECT_NEAR(uniformity_of(some).p_value, 0.05, 0.01);
}

Inferred said(const Numbers& probabilities, std::size_t truth) {
  Inferred inferred;
  inferred.truth = truth;
  for (const double p : probabilities) inferred.log_probability.push_back(std::log(p));
  return inferred;
}

TEST(Reliability, CountsHowOftenWhatWasSaidWasSo) {
  // Of ten kernels said to be true with 0.75, five were; the others had a quarter.
  std::vector<Inferred> draws;
  for (std::size_t d = 0; d < 10; ++d) draws.push_back(said({0.75, 0.25}, d % 2));
  for (const ReliabilityBin& bin : reliability(draws, Evidences::laplace)) {
    if (bin.count == 0) continue;
    EXPECT_EQ(bin.count, 10U);
    EXPECT_NEAR(bin.share(), 0.5, 1e-12);
    EXPECT_NEAR(bin.said, bin.from < 0.5 ? 0.25 : 0.75, 1e-12);
    EXPECT_NEAR(bin.excess.error, std::sqrt(5 * 0.25 * 0.25 + 5 * 0.75 * 0.75) / 10.0, 1e-12);
  }
  const KernelScore score = kernel_score(draws, Evidences::laplace);
  EXPECT_NEAR(score.log_probability.mean, 0.5 * std::log(0.75 * 0.25), 1e-12);
  EXPECT_NEAR(score.surprise.mean, -0.25 * std::log(3.0), 1e-12);
}

}  // namespace
}  // namespace covary::calibration
