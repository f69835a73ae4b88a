#include "evidence/log_posterior.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "linalg/lapack.h"

namespace covary {

LogPosterior::LogPosterior(const Expression& expression, InputColumns inputs,
                           std::span<const double> target, bool with_jacobian, MeanFunction mean)
    : kernel_(expression),
      space_(expression),
      inputs_(std::move(inputs)),
      target_(target),
      with_jacobian_(with_jacobian),
      mean_(mean),
      matrix_(target.size(), target.size()),
      alpha_(target.size()) {}

double LogPosterior::value(std::span<const double> free) {
  ++num_values_;
  constexpr double nowhere = -std::numeric_limits<double>::infinity();
  free_.assign(free.begin(), free.end());
  natural_ = space_.natural(free);
  // Beyond these, powers of a parameter in a derivative leave the range of doubles.
  constexpr double smallest = 1e-60;
  constexpr double largest = 1e60;
  for (std::size_t p = 0; p < natural_.size(); ++p) {
    const bool is_small = space_[p].parameter.prior.is_positive() && natural_[p] < smallest;
    if (is_small || !(std::abs(natural_[p]) < largest)) return nowhere;
  }
  const double noise_variance = natural_.back();
  const std::span<const double> kernel_parameters(natural_.data(), kernel_.num_parameters());
  const CholeskyOutcome outcome = cholesky(matrix_, [&](Matrix& matrix) {
    kernel_.gram(kernel_parameters, inputs_, matrix, &kept_);
    if (mean_ == MeanFunction::constant) add_to_lower_triangle(matrix, constant_mean_variance);
    for (std::size_t i = 0; i < num_rows(); ++i) matrix(i, i) += noise_variance;
  });
  if (!outcome.succeeded) return nowhere;
  jitter_ = outcome.jitter;

  alpha_.assign(target_.begin(), target_.end());
  solve_lower(matrix_, alpha_);
  double square = 0.0;
  for (const double a : alpha_) square += a * a;
  const auto n = static_cast<double>(num_rows());
  log_likelihood_ =
      -0.5 * (square + log_determinant(matrix_) + n * std::log(2.0 * std::numbers::pi));
  log_prior_ = space_.log_prior(natural_);
  if (with_jacobian_) {
    for (std::size_t p = 0; p < size(); ++p) log_prior_ += space_.log_slope(p, free[p]).value;
  }
  const double value = log_likelihood_ + log_prior_;
  return std::isfinite(value) ? value : nowhere;
}

void LogPosterior::gradient(std::span<double> out) {
  solve_lower_transposed(matrix_, alpha_);
  finish_gradient(out);
}

void LogPosterior::gradient_and_curvature(std::span<double> out, Matrix& curvature) {
  solve_lower_transposed(matrix_, alpha_);
  // ½ v_i' K⁻¹ v_j with v_i = (∂K/∂θ_i) α; the noise variance has ∂K/∂θ = I.
  const std::size_t d = size();
  Matrix products(num_rows(), d);
  kernel_.derivative_products({natural_.data(), kernel_.num_parameters()}, inputs_, alpha_,
                              products, &kept_);
  std::copy(alpha_.begin(), alpha_.end(), products.column(d - 1));
  solve_lower(matrix_, products);
  const int n = static_cast<int>(num_rows());
  const int size_int = static_cast<int>(d);
  const double half = 0.5;
  const double zero = 0.0;
  dsyrk_("L", "T", &size_int, &n, &half, products.data(), &n, &zero, curvature.data(), &size_int);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = j; i < d; ++i) {
      curvature(i, j) *= space_.slope(i, free_[i]) * space_.slope(j, free_[j]);
      curvature(j, i) = curvature(i, j);
    }
  }
  for (std::size_t p = 0; p < d; ++p) {
    const LogDensity prior = log_density(space_[p].parameter.prior, natural_[p]);
    const double slope = space_.slope(p, free_[p]);
    const LogDensity log_slope = space_.log_slope(p, free_[p]);
    // d²/du² log p(γ(u)) = p'' γ'² + p' γ'', and γ'' = γ' (log γ')'.
    double second = prior.curvature * slope * slope + prior.slope * slope * log_slope.slope;
    if (with_jacobian_) second += log_slope.curvature;
    curvature(p, p) += std::max(-second, 0.0);
  }
  finish_gradient(out);
}

void LogPosterior::finish_gradient(std::span<double> out) {
  ++num_gradients_;
  invert_from_cholesky(matrix_);
  // d log p / dK = ½ (α α' − K⁻¹); off the diagonal both triangles count.
  double noise_slope = 0.0;
  for (std::size_t j = 0; j < num_rows(); ++j) {
    double* column = matrix_.column(j);
    const double a = alpha_[j];
    for (std::size_t i = j; i < num_rows(); ++i) column[i] = alpha_[i] * a - column[i];
    column[j] *= 0.5;
    noise_slope += column[j];
  }
  const std::size_t num_kernel = kernel_.num_parameters();
  kernel_.weighted_gradient({natural_.data(), num_kernel}, inputs_, matrix_,
                            out.subspan(0, num_kernel), &kept_);
  out[num_kernel] = noise_slope;
  for (std::size_t p = 0; p < size(); ++p) {
    const double prior_slope = log_density(space_[p].parameter.prior, natural_[p]).slope;
    out[p] = (out[p] + prior_slope) * space_.slope(p, free_[p]);
    if (with_jacobian_) out[p] += space_.log_slope(p, free_[p]).slope;
  }
}

}  // namespace covary
