#include "gp/dense_posterior.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numbers>
#include <utility>

#include <covary/error.h>

#include "linalg/cholesky.h"
#include "linalg/lapack.h"
#include "linalg/vectors.h"

namespace covary {

// What follows from the inverse. It is made at most once, since few models are asked for it.
struct DensePosterior::Derived {
  std::mutex mutex;
  bool is_there = false;
  std::vector<double> inverse_diagonal;  // the diagonal of factor_ being the factor's
  LeaveOneOut leave_one_out;
};

DensePosterior::DensePosterior(Matrix factor, std::span<const double> target, double jitter,
                               std::size_t few)
    : factor_(std::move(factor)),
      target_(target.begin(), target.end()),
      alpha_(target.begin(), target.end()),
      jitter_(jitter),
      few_(few),
      derived_(std::make_unique<Derived>()) {
  solve_lower(factor_, alpha_);
  solve_lower_transposed(factor_, alpha_);
}

DensePosterior::DensePosterior(DensePosterior&&) noexcept = default;
DensePosterior& DensePosterior::operator=(DensePosterior&&) noexcept = default;
DensePosterior::~DensePosterior() = default;

Posterior::Interval DensePosterior::log_marginal_likelihood_interval() const {
  const auto n = static_cast<double>(num_rows());
  const double value = -0.5 * (dot(target_, alpha_) + log_determinant(factor_) +
                               n * std::log(2.0 * std::numbers::pi));
  return {value, value};
}

// The upper triangle belongs to nobody else: who predicts meanwhile reads the lower one. Work that
// is stopped leaves nothing behind, and the next to ask begins anew.
const DensePosterior::Derived& DensePosterior::derived(const LongWork& work) const {
  const std::lock_guard lock(derived_->mutex);
  if (derived_->is_there) return *derived_;
  const std::size_t n = num_rows();
  std::vector<double> diagonal;
  if (has_many_rows()) {
    diagonal = covary::inverse_diagonal(factor_, work);
  } else {
    Matrix inverse = Matrix::copy_of(factor_);
    invert_from_cholesky(inverse);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = j + 1; i < n; ++i) factor_(j, i) = inverse(i, j);
      diagonal.push_back(inverse(j, j));
    }
  }
  LeaveOneOut& loo = derived_->leave_one_out;
  for (std::size_t j = 0; j < n; ++j) {
    loo.variance.push_back(1.0 / diagonal[j]);
    loo.residual.push_back(alpha_[j] / diagonal[j]);
  }
  derived_->inverse_diagonal = std::move(diagonal);
  derived_->is_there = true;
  return *derived_;
}

void DensePosterior::solve(Matrix& x, const LongWork& work) const {
  if (!has_many_rows()) return solve_lower(factor_, x);
  Checkpoint checkpoint(work, solve_amount(num_rows(), x.num_columns()));
  solve_lower(factor_, 0, x, checkpoint);
}

void DensePosterior::solve_transposed(Matrix& x, const LongWork& work) const {
  if (!has_many_rows()) return solve_lower_transposed(factor_, x);
  Checkpoint checkpoint(work, solve_amount(num_rows(), x.num_columns()));
  solve_lower_transposed(factor_, 0, x, checkpoint);
}

Matrix DensePosterior::inverse_columns(std::span<const std::size_t> columns,
                                       const LongWork& work) const {
  Matrix result(num_rows(), columns.size());
  if (has_many_rows()) {
    std::fill_n(result.data(), num_rows() * columns.size(), 0.0);
    for (std::size_t j = 0; j < columns.size(); ++j) result(columns[j], j) = 1.0;
    solve(result, part_of(work, 0.0, 0.5));
    solve_transposed(result, part_of(work, 0.5, 1.0));
    return result;
  }
  static_cast<void>(derived(work));
  for (std::size_t j = 0; j < columns.size(); ++j) {
    for (std::size_t i = 0; i < num_rows(); ++i) result(i, j) = inverse(i, columns[j]);
  }
  return result;
}

double DensePosterior::inverse(std::size_t i, std::size_t j) const {
  return i == j ? derived_->inverse_diagonal[i] : factor_(std::min(i, j), std::max(i, j));
}

void DensePosterior::append(std::span<const double> covariances, double variance, double target) {
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
  target_.push_back(target);
  factor_ = std::move(factor);
  derived_ = std::make_unique<Derived>();
}

std::vector<double> DensePosterior::mean(const Matrix& cross) const {
  std::vector<double> mean(cross.num_columns(), 0.0);
  const int rows = static_cast<int>(cross.num_rows());
  const int columns = static_cast<int>(cross.num_columns());
  const int one = 1;
  const double unit = 1.0;
  const double zero = 0.0;
  dgemv("T", &rows, &columns, &unit, cross.data(), &rows, alpha_.data(), &one, &zero, mean.data(),
        &one);
  return mean;
}

std::vector<double> DensePosterior::variance(Matrix& cross, std::span<const double> prior_variance,
                                             const LongWork& work) const {
  solve(cross, work);
  std::vector<double> variance(cross.num_columns());
  for (std::size_t j = 0; j < cross.num_columns(); ++j) {
    double explained = 0.0;
    const double* column = cross.column(j);
    for (std::size_t i = 0; i < cross.num_rows(); ++i) explained += column[i] * column[i];
    variance[j] = std::max(prior_variance[j] - explained, 0.0);
  }
  return variance;
}

void DensePosterior::covariance(Matrix& cross, Matrix& prior, const LongWork& work) const {
  solve(cross, work);
  const int rows = static_cast<int>(cross.num_rows());
  const int columns = static_cast<int>(cross.num_columns());
  const double minus_one = -1.0;
  const double one = 1.0;
  dsyrk("L", "T", &columns, &rows, &minus_one, cross.data(), &rows, &one, prior.data(), &columns);
  for (std::size_t j = 0; j < prior.num_columns(); ++j) {
    prior(j, j) = std::max(prior(j, j), 0.0);
    for (std::size_t i = j + 1; i < prior.num_rows(); ++i) prior(j, i) = prior(i, j);
  }
}

const DensePosterior::LeaveOneOut& DensePosterior::leave_one_out(const LongWork& work) const {
  return derived(work).leave_one_out;
}

std::vector<double> DensePosterior::alpha_without(std::span<const std::size_t> held_out,
                                                  const LongWork& work) const {
  const Matrix columns = inverse_columns(held_out, work);
  const std::size_t size = held_out.size();
  Matrix block(size, size);
  const CholeskyOutcome outcome = cholesky(block, [&](Matrix& matrix) {
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t i = j; i < size; ++i) matrix(i, j) = columns(held_out[i], j);
    }
  });
  if (!outcome.succeeded) {
    throw Error(ErrorKind::bad_data,
                "rows cannot be predicted from the others: the covariance matrix has no inverse "
                "with these parameters");
  }
  std::vector<double> weights;
  for (const std::size_t row : held_out) weights.push_back(alpha_[row]);
  solve_lower(block, weights);
  solve_lower_transposed(block, weights);
  std::vector<double> result = alpha_;
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t i = 0; i < result.size(); ++i) result[i] -= columns(i, j) * weights[j];
  }
  for (const std::size_t row : held_out) result[row] = 0.0;
  return result;
}

Matrix DensePosterior::draw_alphas(std::size_t num_draws, Random& random,
                                   const LongWork& work) const {
  Matrix draws(num_rows(), num_draws);
  std::generate_n(draws.data(), num_rows() * num_draws, [&] { return random.normal(); });
  solve_transposed(draws, work);
  return draws;
}

}  // namespace covary
