#include "baselines/functional_kernel_posterior.h"

#include <cmath>

#include <gtest/gtest.h>

#include "baselines/elliptical_slice.h"
#include "unit/baselines/simulated_data.h"

namespace covary {
namespace {

struct Problem {
  std::vector<Numbers> columns;
  Numbers target;
  std::vector<SpectralInput> inputs;

  Problem(std::size_t num_rows, std::size_t num_inputs, Random& random)
      : columns(uniform_inputs(num_rows, num_inputs, random)), target(num_rows) {
    for (double& y : target) y = random.normal();
    for (const Numbers& column : columns) inputs.emplace_back(column, 300);
  }
};

Numbers random_latent(const SpectralInput& input, Random& random) {
  Numbers latent(2 * input.num_frequencies());
  for (double& z : latent) z = random.normal();
  return latent;
}

FunctionalKernelParameters moderate_parameters(std::size_t num_inputs, Random& random) {
  FunctionalKernelParameters parameters;
  for (std::size_t i = 0; i < num_inputs; ++i) {
    parameters.lengthscales.push_back(0.05 + 0.3 * random.uniform());
  }
  parameters.latent_sd = 0.5 + 3.0 * random.uniform();
  parameters.latent_lengthscale = 0.5 + 6.0 * random.uniform();
  parameters.variance = 0.5 + random.uniform();
  parameters.noise_variance = 0.05 + 0.2 * random.uniform();
  parameters.mean = random.normal();
  return parameters;
}

TEST(FunctionalKernelPosterior, GradientMatchesFiniteDifferencesAtRandomSpectra) {
  Random random(1);
  for (const std::size_t num_inputs : {1U, 2U, 4U}) {
    const Problem problem(25, num_inputs, random);
    FunctionalKernelPosterior posterior(problem.inputs, problem.target);
    for (int trial = 0; trial < 20; ++trial) {
      Numbers place = FunctionalKernelPosterior::place(moderate_parameters(num_inputs, random));
      ASSERT_EQ(place.size(), posterior.size());
      ASSERT_TRUE(std::isfinite(posterior.value(place)));
      for (std::size_t i = 0; i < num_inputs; ++i) {
        posterior.set_latent(i, random_latent(problem.inputs[i], random));
      }
      Numbers gradient(posterior.size());
      posterior.value(place);
      posterior.gradient(gradient);
      for (std::size_t p = 0; p < posterior.size(); ++p) {
        constexpr double step = 1e-5;
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

// Without latent numbers it is the RBF model; only the priors' coordinates differ.
TEST(FunctionalKernelPosterior, IsTheRbfModelWhereLogSpectraAreTheirMeans) {
  Random random(2);
  const Problem problem(30, 3, random);
  FunctionalKernelParameters parameters;
  parameters.lengthscales = {0.1, 0.35, 0.2};
  parameters.variance = 1.3;
  parameters.noise_variance = 0.04;
  FunctionalKernelPosterior posterior(problem.inputs, problem.target);
  posterior.value(FunctionalKernelPosterior::place(parameters));
  posterior.hold_others(1);

  const InputColumns columns(problem.columns.begin(), problem.columns.end());
  LogPosterior product(rbf_kernel(3), {columns, problem.target}, Laplace::reference);
  product.value(product.space().free(Numbers{0.1, 1.3, 0.35, 1.0, 0.2, 1.0, 0.04}));
  EXPECT_NEAR(posterior.log_likelihood(1, posterior.latent(1)), product.log_likelihood(), 1e-8);
}

TEST(FunctionalKernelPosterior, ChangesOneInputAsTheWholeWould) {
  Random random(3);
  const Problem problem(30, 3, random);
  FunctionalKernelPosterior posterior(problem.inputs, problem.target);
  const Numbers place = FunctionalKernelPosterior::place(moderate_parameters(3, random));
  double before = posterior.value(place);
  for (std::size_t i = 0; i < 3; ++i) {
    const Numbers latent = random_latent(problem.inputs[i], random);
    posterior.hold_others(i);
    const double gain =
        posterior.log_likelihood(i, latent) - posterior.log_likelihood(i, posterior.latent(i));
    posterior.set_latent(i, latent);
    const double after = posterior.value(place);
    ASSERT_NEAR(after - before, gain, 1e-8) << i;
    ASSERT_GT(std::abs(gain), 1e-3) << i;
    before = after;
  }
}

// At any place a line search may try, there is no value, or a value with a finite gradient.
TEST(FunctionalKernelPosterior, NeverHasAValueWithoutAFiniteGradient) {
  Random random(4);
  const Problem problem(12, 2, random);
  FunctionalKernelPosterior posterior(problem.inputs, problem.target);
  int num_values = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    Numbers place(posterior.size());
    for (double& u : place) u = 18.0 * (2.0 * random.uniform() - 1.0) * random.uniform();
    const double value = posterior.value(place);
    ASSERT_FALSE(std::isnan(value));
    if (!std::isfinite(value)) continue;
    ++num_values;
    Numbers gradient(posterior.size());
    posterior.gradient(gradient);
    for (const double slope : gradient) ASSERT_TRUE(std::isfinite(slope));
    const std::size_t i = random.index(2);
    posterior.hold_others(i);
    const Numbers latent = random_latent(problem.inputs[i], random);
    ASSERT_FALSE(std::isnan(posterior.log_likelihood(i, latent)));
    posterior.set_latent(i, latent);
  }
  EXPECT_GT(num_values, 500);
}

// Geweke's test of the sampler and the likelihood together: spectra drawn given data that were
// drawn given the spectra must be spread as the prior's are.
TEST(FunctionalKernelPosterior, DrawsSpectraAsThePriorDoesWhenTheDataFollowThem) {
  Random random(5);
  constexpr std::size_t n = 10;
  Problem problem(n, 1, random);
  const SpectralInput& input = problem.inputs[0];
  FunctionalKernelPosterior posterior(problem.inputs, problem.target);
  FunctionalKernelParameters parameters;
  parameters.lengthscales = {0.1};
  parameters.latent_sd = 2.0;
  parameters.noise_variance = 0.02;
  parameters.mean = 3.0;
  posterior.value(FunctionalKernelPosterior::place(parameters));
  // The share of slow waves: it decides how smooth the data look.
  const auto slow_share = [&] {
    double sum = 0.0;
    for (std::size_t f = 0; input.frequency(f) < 1.0; ++f) sum += posterior.shares(0)[f];
    return sum;
  };
  constexpr int num_draws = 20000;
  double prior_mean = 0.0;
  double prior_square = 0.0;
  for (int i = 0; i < num_draws; ++i) {
    posterior.set_latent(0, random_latent(input, random));
    prior_mean += slow_share() / num_draws;
    prior_square += slow_share() * slow_share() / num_draws;
  }
  double mean = 0.0;
  double square = 0.0;
  Matrix factor(n, n);
  posterior.hold_others(0);  // there are none: holds for good
  const LogLikelihood log_likelihood = [&](std::span<const double> latent) {
    return posterior.log_likelihood(0, latent);
  };
  for (int i = 0; i < num_draws; ++i) {
    ASSERT_TRUE(posterior.factorize(factor));
    Numbers white(n);
    for (double& z : white) z = random.normal();
    for (std::size_t r = 0; r < n; ++r) {
      problem.target[r] = parameters.mean;
      for (std::size_t k = 0; k <= r; ++k) problem.target[r] += factor(r, k) * white[k];
    }
    Numbers latent = posterior.latent(0);
    elliptical_slice_step(latent, log_likelihood(latent), log_likelihood, random);
    posterior.set_latent(0, latent);
    mean += slow_share() / num_draws;
    square += slow_share() * slow_share() / num_draws;
  }
  const double sd = std::sqrt(prior_square - prior_mean * prior_mean);
  EXPECT_NEAR(mean, prior_mean, 0.05 * sd);
  EXPECT_NEAR(std::sqrt(square - mean * mean), sd, 0.05 * sd);
}

}  // namespace
}  // namespace covary
