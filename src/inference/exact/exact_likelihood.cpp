#include "inference/exact/exact_likelihood.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "base/parallel.h"
#include "linalg/cholesky.h"
#include "linalg/lapack.h"

namespace covary {

void fill_covariance(const CompiledKernel& kernel, std::span<const double> parameters,
                     const TrainingRows& rows, double diagonal, Matrix& out,
                     CompiledKernel::Kept* kept) {
  kernel.gram(parameters.first(kernel.num_parameters()), rows.inputs, out, kept);
  if (rows.constant_variance > 0.0) add_to_lower_triangle(out, rows.constant_variance);
  for (std::size_t i = 0; i < rows.size(); ++i) out(i, i) += diagonal;
}

void fill_large_covariance(const CompiledKernel& kernel, std::span<const double> parameters,
                           const TrainingRows& rows, double diagonal, Matrix& out,
                           const LongWork& work) {
  kernel.large_gram(parameters.first(kernel.num_parameters()), rows.inputs, out, work);
  if (rows.constant_variance > 0.0) add_to_lower_triangle(out, rows.constant_variance);
  for (std::size_t i = 0; i < rows.size(); ++i) out(i, i) += diagonal;
}

ExactLikelihood::ExactLikelihood(const Expression& kernel, const TrainingRows& rows, LongWork work,
                                 std::size_t few)
    : kernel_(kernel),
      rows_(rows),
      work_(std::move(work)),
      has_many_rows_(rows.size() > few),
      matrix_(rows.size(), rows.size()),
      alpha_(rows.size()) {}

// Steps of the work are parts of a value or a gradient, of which nobody is told how far they are.
CholeskyOutcome ExactLikelihood::factored(double variance, double& mean_diagonal) {
  const auto fill = [&](Matrix& matrix) {
    if (has_many_rows_) {
      fill_large_covariance(kernel_, parameters_, rows_, variance, matrix, work_);
    } else {
      fill_covariance(kernel_, parameters_, rows_, variance, matrix, &kept_);
    }
    mean_diagonal = 0.0;
    for (std::size_t i = 0; i < num_rows(); ++i) {
      mean_diagonal += matrix(i, i) / static_cast<double>(num_rows());
    }
  };
  return has_many_rows_ ? large_cholesky(matrix_, fill, work_) : cholesky(matrix_, fill);
}

std::span<const double> ExactLikelihood::kernel_parameters() const {
  return {parameters_.data(), kernel_.num_parameters()};
}

double ExactLikelihood::value(std::span<const double> parameters, std::optional<double> diagonal) {
  constexpr double nowhere = -std::numeric_limits<double>::infinity();
  parameters_.assign(parameters.begin(), parameters.end());
  const double variance = parameters_.back() + diagonal.value_or(0.0);
  double mean_diagonal = 0.0;
  const CholeskyOutcome outcome = factored(variance, mean_diagonal);
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
  this->information(information);
  finish_gradient(out);
}

void ExactLikelihood::information(Matrix& out) {
  solve_lower_transposed(matrix_, alpha_);
  // ½ v_i' K⁻¹ v_j with v_i = (∂K/∂θ_i) α; the noise variance has ∂K/∂θ = I.
  const std::size_t d = parameters_.size();
  Matrix products(num_rows(), d);
  if (has_many_rows_) {
    kernel_.large_derivative_products(kernel_parameters(), rows_.inputs, alpha_, products, work_);
  } else {
    kernel_.derivative_products(kernel_parameters(), rows_.inputs, alpha_, products, &kept_);
  }
  std::copy(alpha_.begin(), alpha_.end(), products.column(d - 1));
  solve_lower(matrix_, products);
  const int n = static_cast<int>(num_rows());
  const int size = static_cast<int>(d);
  const double half = 0.5;
  const double zero = 0.0;
  dsyrk("L", "T", &size, &n, &half, products.data(), &n, &zero, out.data(), &size);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = j + 1; i < d; ++i) out(j, i) = out(i, j);
  }
}

// The factor becomes d log p / dK = ½ (α α' − K⁻¹); off the diagonal both triangles count.
void ExactLikelihood::weigh() {
  constexpr std::size_t columns_at_a_time = 64;
  if (has_many_rows_) {
    invert_by_tiles(matrix_, work_);
  } else {
    invert_from_cholesky(matrix_);
  }
  const std::size_t num_blocks = (num_rows() + columns_at_a_time - 1) / columns_at_a_time;
  const std::size_t num_threads = has_many_rows_ ? work_.num_threads() : 1;
  parallel_for(num_threads, num_blocks, [&](std::size_t block, std::size_t /*worker*/) {
    const std::size_t end = std::min((block + 1) * columns_at_a_time, num_rows());
    for (std::size_t j = block * columns_at_a_time; j < end; ++j) {
      double* column = matrix_.column(j);
      const double a = alpha_[j];
      for (std::size_t i = j; i < num_rows(); ++i) column[i] = alpha_[i] * a - column[i];
      column[j] *= 0.5;
    }
  });
}

void ExactLikelihood::finish_gradient(std::span<double> out) {
  weigh();
  const std::size_t num_kernel = kernel_.num_parameters();
  const std::span<double> of_kernel = out.first(num_kernel);
  if (has_many_rows_) {
    kernel_.large_weighted_gradient(kernel_parameters(), rows_.inputs, matrix_, of_kernel, work_);
  } else {
    kernel_.weighted_gradient(kernel_parameters(), rows_.inputs, matrix_, of_kernel, &kept_);
  }
  out[num_kernel] = 0.0;  // the noise variance
  for (std::size_t j = 0; j < num_rows(); ++j) out[num_kernel] += matrix_(j, j);
}

}  // namespace covary
