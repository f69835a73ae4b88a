#include "baselines/functional_kernel.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include <covary/error.h>
#include <covary/holdout.h>

#include "baselines/rbf_model.h"
#include "unit/baselines/simulated_data.h"

namespace covary {
namespace {

const FunctionalKernelOptions short_fit = {.num_rounds = 4, .num_samples = 4};

struct Periodic {
  Dataset training;
  Dataset holdout;
};

// A wave that repeats itself nine times; the rows of a stretch in the middle are held out.
Periodic periodic_data(std::uint64_t seed) {
  Random random(seed);
  std::vector<Numbers> inputs(1);
  Numbers target;
  std::vector<std::size_t> training;
  std::vector<std::size_t> holdout;
  for (std::size_t i = 0; i < 120; ++i) {
    const double x = static_cast<double>(i) / 119.0;
    const double phase = 2.0 * std::numbers::pi * 9.0 * x;
    inputs[0].push_back(x);
    target.push_back(1.3 * std::sin(phase) + 0.3 * std::cos(2.0 * phase) + 0.1 * random.normal());
    (x > 0.45 && x < 0.65 ? holdout : training).push_back(i);
  }
  const Dataset all = plain_dataset(std::move(inputs), std::move(target));
  return {all.rows(training), all.rows(holdout)};
}

TEST(FunctionalKernel, FindsTheFrequencyOfAPeriodicFunctionAndPredictsItBetterThanRbf) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Periodic data = periodic_data(seed);
    const auto model = FunctionalKernelModel::fit(data.training, {.seed = seed});
    const auto rbf = fit_rbf(data.training, {});
    ASSERT_TRUE(model && rbf);
    const FunctionalKernelModel::Spectrum spectrum = model->spectrum(0);
    const auto peak = std::max_element(spectrum.share.begin(), spectrum.share.end());
    const double frequency =
        spectrum.frequency[static_cast<std::size_t>(peak - spectrum.share.begin())];
    EXPECT_NEAR(frequency, 9.0, 0.5) << "seed " << seed;

    const std::vector<Numbers> points = raw_inputs(data.holdout);
    const HoldoutFigures ours = holdout_figures(model->predict(points), data.holdout);
    const HoldoutFigures theirs = holdout_figures(rbf->model.predict(points), data.holdout);
    EXPECT_LT(ours.rmse_standardised, 0.5 * theirs.rmse_standardised) << "seed " << seed;
    EXPECT_LT(ours.nll_standardised, theirs.nll_standardised - 0.5) << "seed " << seed;
  }
}

// Where the truth is an RBF process, a freer spectrum must not cost much.
TEST(FunctionalKernel, PredictsAnRbfProcessNearlyAsWellAsRbf) {
  Random random(5);
  const std::vector<Numbers> inputs = uniform_inputs(300, 2, random);
  const Dataset all = plain_dataset(inputs, rbf_draw(inputs, {0.2, 1.0, 0.5, 1.0, 0.02}, random));
  std::vector<std::size_t> training(120);
  std::vector<std::size_t> holdout(180);
  for (std::size_t i = 0; i < 300; ++i) (i < 120 ? training[i] : holdout[i - 120]) = i;
  const Dataset test = all.rows(holdout);
  const auto model = FunctionalKernelModel::fit(all.rows(training), {});
  const auto rbf = fit_rbf(all.rows(training), {});
  ASSERT_TRUE(model && rbf);
  const HoldoutFigures ours = holdout_figures(model->predict(raw_inputs(test)), test);
  const HoldoutFigures theirs = holdout_figures(rbf->model.predict(raw_inputs(test)), test);
  EXPECT_LT(ours.nll_standardised, theirs.nll_standardised + 0.05);
  EXPECT_LT(ours.rmse_standardised, 1.05 * theirs.rmse_standardised);
}

TEST(FunctionalKernel, IsTheSameForTheSameSeedAndRowsInAnyOrderAndAnotherForAnotherSeed) {
  Random random(6);
  const std::vector<Numbers> inputs = uniform_inputs(40, 2, random);
  const Dataset data = plain_dataset(inputs, rbf_draw(inputs, {0.3, 1.0, 0.8, 1.0, 0.02}, random));
  std::vector<std::size_t> backwards(40);
  for (std::size_t i = 0; i < 40; ++i) backwards[i] = 39 - i;
  FunctionalKernelOptions other_seed = short_fit;
  other_seed.seed = 2;
  const std::vector<Numbers> points = uniform_inputs(600, 2, random);
  const auto predicted = [&](const Dataset& rows, const FunctionalKernelOptions& options) {
    return FunctionalKernelModel::fit(rows, options)->predict(points);
  };
  const Prediction first = predicted(data, short_fit);
  EXPECT_EQ(first.mean, predicted(data, short_fit).mean);
  const Prediction reversed = predicted(data.rows(backwards), short_fit);
  EXPECT_EQ(first.mean, reversed.mean);
  EXPECT_EQ(first.sd, reversed.sd);
  EXPECT_NE(first.mean, predicted(data, other_seed).mean);
}

TEST(FunctionalKernel, PredictionIsTheMixtureOfItsSamples) {
  const Periodic data = periodic_data(7);
  const auto model = FunctionalKernelModel::fit(data.training, short_fit);
  ASSERT_TRUE(model);
  ASSERT_EQ(model->num_samples(), short_fit.num_samples);
  const Prediction prediction = model->predict(raw_inputs(data.holdout));
  ASSERT_EQ(prediction.parts.size(), model->num_samples());
  const double noise = model->parameters().noise_variance;
  for (std::size_t i = 0; i < prediction.mean.size(); ++i) {
    double mean = 0.0;
    double second = 0.0;
    for (const Prediction::Part& part : prediction.parts) {
      mean += part.weight * part.mean[i];
      second += part.weight * (part.mean[i] * part.mean[i] + part.sd[i] * part.sd[i]);
    }
    ASSERT_NEAR(prediction.mean[i], mean, 1e-12);
    ASSERT_NEAR(prediction.sd[i], std::sqrt(second - mean * mean), 1e-9);
    ASSERT_NEAR(std::pow(prediction.sd[i], 2.0) - std::pow(prediction.latent_sd[i], 2.0), noise,
                1e-9);
  }
}

TEST(FunctionalKernel, PutsUpWithHardDataAndRefusesPointsOfTheWrongShape) {
  const Numbers x = {0.0, 0.1, 0.1, 0.1, 0.9, 1.0};
  const Numbers constant(6, 0.4);
  const std::vector<Numbers> targets = {
      {0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, {-1.0, 2.0, -2.0, 0.5, 0.0, 1.0}, {1e4, 0, 0, 0, 0, -1e4}};
  for (const Numbers& target : targets) {
    const auto model = FunctionalKernelModel::fit(plain_dataset({x, constant}, target), short_fit);
    ASSERT_TRUE(model);
    const Prediction prediction = model->predict({{0.5, -3.0, 1e6}, {0.4, 0.5, -1e6}});
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_TRUE(std::isfinite(prediction.mean[i]));
      ASSERT_GT(prediction.sd[i], 0.0);
    }
    EXPECT_TRUE(model->predict({{}, {}}).mean.empty());
    EXPECT_THROW(model->predict({{0.5}}), Error);
    EXPECT_THROW(model->predict({{0.5}, {0.5, 0.6}}), Error);
  }
}

TEST(FunctionalKernel, GivesNothingWhenInterrupted) {
  const std::atomic<bool> interrupted = true;
  EXPECT_FALSE(FunctionalKernelModel::fit(periodic_data(8).training, {}, &interrupted));
}

}  // namespace
}  // namespace covary
