#include "gp/posterior.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/lapack.h"

namespace covary {

Posterior::Posterior(Matrix factor, std::span<const double> target)
    : factor_(std::move(factor)), alpha_(target.begin(), target.end()) {
  solve_lower(factor_, alpha_);
  solve_lower_transposed(factor_, alpha_);
}

void Posterior::append(std::span<const double> covariances, double variance, double target) {
  const std::size_t n = num_rows();
  std::vector<double> row(covariances.begin(), covariances.end());
  solve_lower(factor_, row);
  Matrix factor(n + 1, n + 1);
  double rest = variance;    // of the new row, given the others
  double surprise = target;  // beyond their prediction of it
  for (std::size_t j = 0; j < n; ++j) {
    std::copy_n(factor_.column(j), n, factor.column(j));
    factor(n, j) = row[j];
    rest -= row[j] * row[j];
    surprise -= covariances[j] * alpha_[j];
  }
  rest = std::max(rest, 1e-12 * variance);  // rounding may leave less than zero
  std::fill_n(factor.column(n), n, 0.0);
  factor(n, n) = std::sqrt(rest);

  // The others give way by K^-1 covariances for every unit of the new row's weight.
  solve_lower_transposed(factor_, row);
  const double weight = surprise / rest;
  for (std::size_t i = 0; i < n; ++i) alpha_[i] -= weight * row[i];
  alpha_.push_back(weight);
  factor_ = std::move(factor);
}

std::vector<double> Posterior::mean(const Matrix& cross) const {
  std::vector<double> mean(cross.num_columns(), 0.0);
  const int rows = static_cast<int>(cross.num_rows());
  const int columns = static_cast<int>(cross.num_columns());
  const int one = 1;
  const double unit = 1.0;
  const double zero = 0.0;
  dgemv_("T", &rows, &columns, &unit, cross.data(), &rows, alpha_.data(), &one, &zero, mean.data(),
         &one);
  return mean;
}

std::vector<double> Posterior::variance(Matrix& cross,
                                        std::span<const double> prior_variance) const {
  solve_lower(factor_, cross);
  std::vector<double> variance(cross.num_columns());
  for (std::size_t j = 0; j < cross.num_columns(); ++j) {
    double explained = 0.0;
    const double* column = cross.column(j);
    for (std::size_t i = 0; i < cross.num_rows(); ++i) explained += column[i] * column[i];
    variance[j] = std::max(prior_variance[j] - explained, 0.0);
  }
  return variance;
}

void Posterior::covariance(Matrix& cross, Matrix& prior) const {
  solve_lower(factor_, cross);
  const int rows = static_cast<int>(cross.num_rows());
  const int columns = static_cast<int>(cross.num_columns());
  const double minus_one = -1.0;
  const double one = 1.0;
  dsyrk_("L", "T", &columns, &rows, &minus_one, cross.data(), &rows, &one, prior.data(), &columns);
  for (std::size_t j = 0; j < prior.num_columns(); ++j) {
    prior(j, j) = std::max(prior(j, j), 0.0);
    for (std::size_t i = j + 1; i < prior.num_rows(); ++i) prior(j, i) = prior(i, j);
  }
}

Posterior::LeaveOneOut Posterior::leave_one_out(std::span<const double> target) const {
  Matrix inverse = Matrix::copy_of(factor_);
  invert_from_cholesky(inverse);
  LeaveOneOut result{std::vector<double>(num_rows()), std::vector<double>(num_rows())};
  for (std::size_t i = 0; i < num_rows(); ++i) {
    result.variance[i] = 1.0 / inverse(i, i);
    result.mean[i] = target[i] - alpha_[i] * result.variance[i];
  }
  return result;
}

Matrix sample_gaussian(std::span<const double> mean, const Matrix& covariance,
                       std::size_t num_samples, Random& random) {
  const std::size_t n = mean.size();
  Matrix factor(n, n);
  const CholeskyOutcome outcome = cholesky(
      factor, [&](Matrix& matrix) { std::copy_n(covariance.data(), n * n, matrix.data()); });
  Matrix samples(n, num_samples);
  std::vector<double> noise(n);
  for (std::size_t s = 0; s < num_samples; ++s) {
    for (double& z : noise) z = random.normal();
    for (std::size_t i = 0; i < n; ++i) {
      double sum = mean[i];
      // A covariance of rank zero (every variance zero) has no factor and no spread.
      for (std::size_t k = 0; k <= i && outcome.succeeded; ++k) sum += factor(i, k) * noise[k];
      samples(i, s) = sum;
    }
  }
  return samples;
}

}  // namespace covary
