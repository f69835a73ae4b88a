#include "baselines/functional_kernel_posterior.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "baselines/matern_path.h"
#include "covariance/parameter_space.h"
#include "linalg/cholesky.h"

namespace covary {
namespace {

constexpr double nowhere = -std::numeric_limits<double>::infinity();
// Beyond these, in logarithms, a covariance matrix is all ones, all zeros or all noise.
constexpr double largest_log = 14.0;
constexpr double largest_mean = 1e3;

// As for the base kernels; the last two say that log spectra stray by a few units, over a few
// cycles.
constexpr Prior lengthscale_prior = Prior::gamma(2.0, 2.0);
constexpr Prior variance_prior = Prior::gamma(2.0, 3.0);
constexpr Prior mean_prior = Prior::normal(0.0, 1.0);
constexpr Prior latent_sd_prior = Prior::gamma(2.0, 1.0);
constexpr Prior latent_lengthscale_prior = Prior::gamma(2.0, 0.5);

// Of the logarithm of a positive number.
double log_density_of_log(const Prior& prior, double value) {
  return log_density(prior, value).value + std::log(value);
}
double slope_by_log(const Prior& prior, double value) {
  return log_density(prior, value).slope * value + 1.0;
}

double matern_step(double latent_lengthscale) {
  return std::numbers::sqrt3 * SpectralInput::cycles_apart / latent_lengthscale;
}

double squared_angle(double lengthscale, double frequency) {
  const double angle = 2.0 * std::numbers::pi * lengthscale * frequency;
  return angle * angle;
}

void multiply_lower_triangle(const Matrix& by, Matrix& matrix) {
  for (std::size_t j = 0; j < matrix.num_columns(); ++j) {
    const double* const from = by.column(j);
    double* const to = matrix.column(j);
    for (std::size_t i = j; i < matrix.num_rows(); ++i) to[i] *= from[i];
  }
}

}  // namespace

FunctionalKernelPosterior::FunctionalKernelPosterior(std::span<const SpectralInput> inputs,
                                                     std::span<const double> target)
    : inputs_(inputs),
      target_(target),
      shares_(inputs.size()),
      others_(target.size(), target.size()),
      trial_(target.size(), target.size()),
      factor_(target.size(), target.size()),
      alpha_(target.size()) {
  for (const SpectralInput& input : inputs) {
    latent_.emplace_back(2 * input.num_frequencies(), 0.0);
    correlations_.emplace_back(target.size(), target.size());
  }
}

std::vector<double> FunctionalKernelPosterior::place(const FunctionalKernelParameters& parameters) {
  std::vector<double> place;
  for (const double lengthscale : parameters.lengthscales) place.push_back(std::log(lengthscale));
  place.push_back(std::log(parameters.latent_sd));
  place.push_back(std::log(parameters.latent_lengthscale));
  place.push_back(std::log(parameters.variance));
  place.push_back(std::log(parameters.noise_variance - least_noise_variance));
  place.push_back(parameters.mean);
  return place;
}

bool FunctionalKernelPosterior::set_parameters(std::span<const double> place) {
  const std::size_t d = inputs_.size();
  for (std::size_t k = 0; k + 1 < size(); ++k) {
    if (!(std::abs(place[k]) <= largest_log)) return false;
  }
  if (!(std::abs(place[d + 4]) <= largest_mean)) return false;
  parameters_.lengthscales.resize(d);
  for (std::size_t i = 0; i < d; ++i) parameters_.lengthscales[i] = std::exp(place[i]);
  parameters_.latent_sd = std::exp(place[d]);
  parameters_.latent_lengthscale = std::exp(place[d + 1]);
  parameters_.variance = std::exp(place[d + 2]);
  parameters_.noise_variance = least_noise_variance + std::exp(place[d + 3]);
  parameters_.mean = place[d + 4];
  const double step = matern_step(parameters_.latent_lengthscale);
  return step >= least_matern_step && step <= largest_matern_step;
}

double FunctionalKernelPosterior::log_prior() const {
  double sum =
      log_density_of_log(latent_sd_prior, parameters_.latent_sd) +
      log_density_of_log(latent_lengthscale_prior, parameters_.latent_lengthscale) +
      log_density_of_log(variance_prior, parameters_.variance) +
      log_density_of_log(noise_parameter.prior, parameters_.noise_variance - least_noise_variance) +
      log_density(mean_prior, parameters_.mean).value;
  for (const double lengthscale : parameters_.lengthscales) {
    sum += log_density_of_log(lengthscale_prior, lengthscale);
  }
  return sum;
}

std::vector<double> FunctionalKernelPosterior::log_spectrum(std::size_t input,
                                                            std::span<const double> latent) const {
  std::vector<double> values(inputs_[input].num_frequencies());
  matern_path(matern_step(parameters_.latent_lengthscale), latent, values);
  for (std::size_t f = 0; f < values.size(); ++f) {
    const double mean =
        -0.5 * squared_angle(parameters_.lengthscales[input], inputs_[input].frequency(f));
    values[f] = mean + parameters_.latent_sd * values[f];
  }
  return values;
}

void FunctionalKernelPosterior::product_of_others(std::size_t input, Matrix& out) const {
  std::fill_n(out.data(), num_rows() * num_rows(), parameters_.variance);
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    if (i != input) multiply_lower_triangle(correlations_[i], out);
  }
}

void FunctionalKernelPosterior::fill_covariance(Matrix& out) const {
  product_of_others(inputs_.size(), out);
  for (std::size_t i = 0; i < num_rows(); ++i) out(i, i) += parameters_.noise_variance;
}

double FunctionalKernelPosterior::log_likelihood_of(const std::function<void(Matrix&)>& fill) {
  if (!cholesky(factor_, fill).succeeded) return nowhere;
  for (std::size_t i = 0; i < num_rows(); ++i) alpha_[i] = target_[i] - parameters_.mean;
  solve_lower(factor_, alpha_);
  const double square = std::inner_product(alpha_.begin(), alpha_.end(), alpha_.begin(), 0.0);
  const double value = -0.5 * (square + log_determinant(factor_) +
                               static_cast<double>(num_rows()) * std::log(2.0 * std::numbers::pi));
  return std::isfinite(value) ? value : nowhere;
}

double FunctionalKernelPosterior::value(std::span<const double> place) {
  if (!set_parameters(place)) return nowhere;
  for (std::size_t i = 0; i < inputs_.size(); ++i) set_latent(i, latent_[i]);
  return log_likelihood_of([&](Matrix& matrix) { fill_covariance(matrix); }) + log_prior();
}

void FunctionalKernelPosterior::gradient(std::span<double> out) {
  const std::size_t n = num_rows();
  const std::size_t d = inputs_.size();
  solve_lower_transposed(factor_, alpha_);
  invert_from_cholesky(factor_);
  // d log p / dK = ½ (α α' − K⁻¹)
  double noise_slope = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    double* const column = factor_.column(j);
    for (std::size_t i = j; i < n; ++i) column[i] = 0.5 * (alpha_[i] * alpha_[j] - column[i]);
    noise_slope += column[j];
  }
  std::fill(out.begin(), out.end(), 0.0);
  // Each input takes the product of all others anew: d² products of elements, which for tens of
  // inputs is less than the inverse.
  for (std::size_t i = 0; i < d; ++i) {
    product_of_others(i, others_);
    multiply_lower_triangle(factor_, others_);
    add_latent_slopes(i, inputs_[i].slopes(shares_[i], others_), out);
    out[i] += slope_by_log(lengthscale_prior, parameters_.lengthscales[i]);
  }
  // What remains of the last input is the derivative by its correlations; these make it whole.
  multiply_lower_triangle(correlations_.back(), others_);
  double variance_slope = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    const double* const column = others_.column(j);
    variance_slope += 2.0 * std::accumulate(column + j, column + n, 0.0) - column[j];
  }
  const double free_noise = parameters_.noise_variance - least_noise_variance;
  out[d] += slope_by_log(latent_sd_prior, parameters_.latent_sd);
  out[d + 1] += slope_by_log(latent_lengthscale_prior, parameters_.latent_lengthscale);
  out[d + 2] = variance_slope + slope_by_log(variance_prior, parameters_.variance);
  out[d + 3] = noise_slope * free_noise + slope_by_log(noise_parameter.prior, free_noise);
  out[d + 4] = std::accumulate(alpha_.begin(), alpha_.end(), 0.0) +
               log_density(mean_prior, parameters_.mean).slope;
}

// From the derivatives by an input's log spectrum to those by the parameters it is made with.
void FunctionalKernelPosterior::add_latent_slopes(std::size_t input, std::span<const double> slopes,
                                                  std::span<double> out) const {
  const std::size_t d = inputs_.size();
  const double step = matern_step(parameters_.latent_lengthscale);
  std::vector<double> path(slopes.size());
  std::vector<double> by_step(slopes.size());
  matern_path(step, latent_[input], path, by_step);
  for (std::size_t f = 0; f < slopes.size(); ++f) {
    const double frequency = inputs_[input].frequency(f);
    out[input] -= slopes[f] * squared_angle(parameters_.lengthscales[input], frequency);
    out[d] += slopes[f] * parameters_.latent_sd * path[f];
    out[d + 1] -= slopes[f] * parameters_.latent_sd * by_step[f] * step;
  }
}

void FunctionalKernelPosterior::gradient_and_curvature(std::span<double> out, Matrix& curvature) {
  gradient(out);
  // No curvature is known; the unit matrix makes a step straight up.
  for (std::size_t j = 0; j < size(); ++j) {
    for (std::size_t i = 0; i < size(); ++i) curvature(i, j) = i == j ? 1.0 : 0.0;
  }
}

void FunctionalKernelPosterior::hold_others(std::size_t input) {
  product_of_others(input, others_);
}

double FunctionalKernelPosterior::log_likelihood(std::size_t input,
                                                 std::span<const double> latent) {
  inputs_[input].correlation(inputs_[input].shares(log_spectrum(input, latent)), trial_);
  return log_likelihood_of([&](Matrix& matrix) {
    std::copy_n(others_.data(), num_rows() * num_rows(), matrix.data());
    multiply_lower_triangle(trial_, matrix);
    for (std::size_t i = 0; i < num_rows(); ++i) matrix(i, i) += parameters_.noise_variance;
  });
}

void FunctionalKernelPosterior::set_latent(std::size_t input, std::span<const double> latent) {
  if (latent.data() != latent_[input].data()) latent_[input].assign(latent.begin(), latent.end());
  shares_[input] = inputs_[input].shares(log_spectrum(input, latent_[input]));
  inputs_[input].correlation(shares_[input], correlations_[input]);
}

bool FunctionalKernelPosterior::factorize(Matrix& out) const {
  return cholesky(out, [&](Matrix& matrix) { fill_covariance(matrix); }).succeeded;
}

}  // namespace covary
