#include "inference/exact/exact_likelihood.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "linalg/cholesky.h"
#include "linalg/lapack.h"
#include "linalg/large_factor.h"

namespace covary {

void fill_covariance(const CompiledKernel& kernel, std::span<const double> parameters,
                     const TrainingRows& rows, double diagonal, Matrix& out,
                     CompiledKernel::Kept* kept, Checkpoint* checkpoint) {
  kernel.gram(parameters.first(kernel.num_parameters()), rows.inputs, out, kept, checkpoint);
  if (rows.constant_variance > 0.0) add_to_lower_triangle(out, rows.constant_variance);
  for (std::size_t i = 0; i < rows.size(); ++i) out(i, i) += diagonal;
}

void fill_large_covariance(const CompiledKernel& kernel, std::span<const double> parameters,
                           const TrainingRows& rows, Matrix& out, const LongWork& work) {
  kernel.large_gram(parameters.first(kernel.num_parameters()), rows.inputs, out, work);
  if (rows.constant_variance > 0.0) add_to_lower_triangle(out, rows.constant_variance);
  for (std::size_t i = 0; i < rows.size(); ++i) out(i, i) += parameters.back();
}

ExactLikelihood::ExactLikelihood(const Expression& kernel, const TrainingRows& rows,
                                 const std::function<bool()>& should_stop)
    : kernel_(kernel),
      rows_(rows),
      work_{.threads = 1, .should_stop = should_stop},
      checkpoint_(work_, 1.0),
      can_be_stopped_(should_stop && rows.size() > many_rows),
      matrix_(rows.size(), rows.size()),
      alpha_(rows.size()) {}

// By tiles where there is a question whether to go on; LAPACK asks nobody.
CholeskyOutcome ExactLikelihood::factored(const std::function<void(Matrix&)>& fill) {
  return can_be_stopped_ ? large_cholesky(matrix_, fill, work_) : cholesky(matrix_, fill);
}

std::span<const double> ExactLikelihood::kernel_parameters() const {
  return {parameters_.data(), kernel_.num_parameters()};
}

double ExactLikelihood::value(std::span<const double> parameters, std::optional<double> diagonal) {
  constexpr double nowhere = -std::numeric_limits<double>::infinity();
  parameters_.assign(parameters.begin(), parameters.end());
  const double variance = parameters_.back() + diagonal.value_or(0.0);
  double mean_diagonal = 0.0;
  const CholeskyOutcome outcome = factored([&](Matrix& matrix) {
    fill_covariance(kernel_, parameters_, rows_, variance, matrix, &kept_, checkpoint());
    mean_diagonal = 0.0;
    for (std::size_t i = 0; i < num_rows(); ++i) {
      mean_diagonal += matrix(i, i) / static_cast<double>(num_rows());
    }
  });
  // With a given diagonal, more of it would be another function.
  if (!outcome.succeeded || (diagonal && outcome.jitter > 0.0)) return nowhere;
  jitter_ = diagonal ? *diagonal / mean_diagonal : outcome.jitter;
  diagonal_ = diagonal.value_or(outcome.jitter * mean_diagonal);

  alpha_.assign(rows_.target.begin(), rows_.target.end());
  solve_lower(matrix_, alpha_);
  double square = 0.0;
  for (const double a : alpha_) square += a * a;
  const auto n = static_cast<double>(num_rows());
  const double value =
      -0.5 * (square + log_determinant(matrix_) + n * std::log(2.0 * std::numbers::pi));
  return std::isfinite(value) ? value : nowhere;
}

void ExactLikelihood::gradient(std::span<double> out) {
  solve_lower_transposed(matrix_, alpha_);
  finish_gradient(out);
}

void ExactLikelihood::gradient_and_information(std::span<double> out, Matrix& information) {
  solve_lower_transposed(matrix_, alpha_);
  // ½ v_i' K⁻¹ v_j with v_i = (∂K/∂θ_i) α; the noise variance has ∂K/∂θ = I.
  const std::size_t d = parameters_.size();
  Matrix products(num_rows(), d);
  kernel_.derivative_products(kernel_parameters(), rows_.inputs, alpha_, products, &kept_,
                              checkpoint());
  std::copy(alpha_.begin(), alpha_.end(), products.column(d - 1));
  solve_lower(matrix_, products);
  const int n = static_cast<int>(num_rows());
  const int size = static_cast<int>(d);
  const double half = 0.5;
  const double zero = 0.0;
  dsyrk_("L", "T", &size, &n, &half, products.data(), &n, &zero, information.data(), &size);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = j + 1; i < d; ++i) information(j, i) = information(i, j);
  }
  finish_gradient(out);
}

void ExactLikelihood::finish_gradient(std::span<double> out) {
  if (can_be_stopped_) {
    invert_from_large_cholesky(matrix_, checkpoint_);
  } else {
    invert_from_cholesky(matrix_);
  }
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
  kernel_.weighted_gradient(kernel_parameters(), rows_.inputs, matrix_, out.subspan(0, num_kernel),
                            &kept_, checkpoint());
  out[num_kernel] = noise_slope;
}

}  // namespace covary
