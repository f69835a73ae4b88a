#include "inference/sparse/sparse_posterior.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>

#include <covary/error.h>

#include "base/checkpoint.h"
#include "base/parallel.h"
#include "linalg/cholesky.h"
#include "linalg/lapack.h"
#include "linalg/large_factor.h"
#include "linalg/vectors.h"

namespace covary {
namespace {

std::vector<double> column_squares(const Matrix& matrix) {
  std::vector<double> squares(matrix.num_columns());
  for (std::size_t j = 0; j < matrix.num_columns(); ++j) {
    const std::span<const double> column(matrix.column(j), matrix.num_rows());
    squares[j] = dot(column, column);
  }
  return squares;
}

// prior := prior + sign X'X, in the lower triangle.
void add_square(double sign, const Matrix& x, Matrix& prior) {
  const int rows = static_cast<int>(x.num_rows());
  const int columns = static_cast<int>(x.num_columns());
  const double one = 1.0;
  dsyrk("L", "T", &columns, &rows, &sign, x.data(), &rows, &one, prior.data(), &columns);
}

[[noreturn]] void fail_as_exact_only() {
  throw Error(ErrorKind::bad_data,
              "a model of so many rows is an approximation that cannot be asked for this; ask a "
              "model of some of the rows");
}

}  // namespace

// What takes passes over the rows of its own. Made at most once, since few models are asked for it.
struct SparsePosterior::Derived {
  std::mutex mutex;
  std::optional<LeaveOneOut> leave_one_out;
};

SparsePosterior::SparsePosterior(SparseRows rows, SparseSystem system,
                                 const Interval& log_marginal_likelihood)
    : SparsePosterior(std::move(rows), std::move(system), log_marginal_likelihood, 0) {
  num_rows_ = rows_.size();
}

SparsePosterior::SparsePosterior(SparseRows support, SparseSystem system,
                                 const Interval& log_marginal_likelihood, std::size_t num_rows)
    : rows_(std::move(support)),
      system_(std::move(system)),
      interval_(log_marginal_likelihood),
      num_rows_(num_rows),
      weights_(system_.posterior.image),
      derived_(std::make_unique<Derived>()) {
  solve_lower(system_.posterior.factor, weights_);
  solve_lower_transposed(system_.posterior.factor, weights_);
  solve_lower_transposed(system_.support_factor, weights_);
}

SparsePosterior::~SparsePosterior() = default;

void SparsePosterior::check(const Matrix& cross) const {
  if (cross.num_rows() != weights_.size()) fail_as_exact_only();
}

std::vector<double> SparsePosterior::mean(const Matrix& cross) const {
  check(cross);
  std::vector<double> mean(cross.num_columns(), 0.0);
  const int rows = static_cast<int>(cross.num_rows());
  const int columns = static_cast<int>(cross.num_columns());
  const int step = 1;
  const double one = 1.0;
  const double zero = 0.0;
  dgemv("T", &rows, &columns, &one, cross.data(), &rows, weights_.data(), &step, &zero, mean.data(),
        &step);
  return mean;
}

std::vector<double> SparsePosterior::variance(Matrix& cross, std::span<const double> prior_variance,
                                              const LongWork& work) const {
  check(cross);
  Checkpoint checkpoint(work, 2.0 * solve_amount(cross.num_rows(), cross.num_columns()));
  solve_lower(system_.support_factor, 0, cross, checkpoint);
  const std::vector<double> known = column_squares(cross);
  solve_lower(system_.posterior.factor, 0, cross, checkpoint);
  std::vector<double> variance = column_squares(cross);  // what the rows leave open of the support
  for (std::size_t j = 0; j < variance.size(); ++j) {
    variance[j] += std::max(prior_variance[j] - known[j], 0.0);
  }
  return variance;
}

void SparsePosterior::covariance(Matrix& cross, Matrix& prior, const LongWork& work) const {
  check(cross);
  Checkpoint checkpoint(work, 2.0 * solve_amount(cross.num_rows(), cross.num_columns()));
  solve_lower(system_.support_factor, 0, cross, checkpoint);
  add_square(-1.0, cross, prior);
  solve_lower(system_.posterior.factor, 0, cross, checkpoint);
  add_square(1.0, cross, prior);
  for (std::size_t j = 0; j < prior.num_columns(); ++j) {
    prior(j, j) = std::max(prior(j, j), 0.0);
    for (std::size_t i = j + 1; i < prior.num_rows(); ++i) prior(j, i) = prior(i, j);
  }
}

// Λ = C C' being the rows' own covariances, A = L^-1 S C'^-1 and Z = R^-1 A, the part of
// P = (Q + Λ)^-1 that a block has is C'^-1 (I - Z'Z) C^-1. What is predicted by noise alone has not
// all of a row's variance in Q + Λ.
const Posterior::LeaveOneOut& SparsePosterior::leave_one_out(const LongWork& work) const {
  const std::lock_guard lock(derived_->mutex);
  if (derived_->leave_one_out) return *derived_->leave_one_out;
  if (num_rows_ != rows_.size()) {
    throw Error(
        ErrorKind::bad_data,
        "a model of so many rows is kept without them, and cannot tell how it predicts them");
  }
  std::vector<double> weights = system_.posterior.image;
  solve_lower(system_.posterior.factor, weights);
  LeaveOneOut loo{std::vector<double>(rows_.size()), std::vector<double>(rows_.size())};
  Checkpoint checkpoint(work, static_cast<double>(rows_.num_blocks()));
  parallel_for(work.num_threads(), rows_.num_blocks(), [&](std::size_t block, std::size_t) {
    const std::size_t size = rows_.size_of(block);
    std::vector<double> rest(size);
    RowBlock rows = row_block(rows_, system_.support_factor, block, rest);
    const Matrix& own = rows.own_factor;
    Matrix columns = std::move(rows.known);
    solve_lower_transposed_from_right(own, columns);
    solve_lower(system_.posterior.factor, columns);
    const std::span<const double> target = rows_.target().subspan(rows_.first_of(block), size);
    std::vector<double> left(target.begin(), target.end());
    solve_lower(own, left);
    for (std::size_t j = 0; j < size; ++j) {
      left[j] -= dot({columns.column(j), columns.num_rows()}, weights);
    }
    solve_lower_transposed(own, left);  // P y
    solve_lower_from_right(own, columns);
    Matrix inverse(size, size);
    std::fill_n(inverse.data(), size * size, 0.0);
    for (std::size_t j = 0; j < size; ++j) inverse(j, j) = 1.0;
    solve_lower(own, inverse);
    const std::vector<double> whole = column_squares(inverse);
    const std::vector<double> explained = column_squares(columns);
    for (std::size_t j = 0; j < size; ++j) {
      const double precision = whole[j] - explained[j];
      const std::size_t row = rows_.row_number(rows_.first_of(block) + j);
      loo.residual[row] = left[j] / precision;
      loo.variance[row] = 1.0 / precision;
      if (rows_.own_part() == OwnPart::none) loo.variance[row] += rest[j];
    }
    checkpoint.pass(1.0);
  });
  derived_->leave_one_out = std::move(loo);
  return *derived_->leave_one_out;
}

std::span<const double> SparsePosterior::alpha() const { fail_as_exact_only(); }

std::vector<double> SparsePosterior::alpha_without(std::span<const std::size_t> /*held_out*/,
                                                   const LongWork& /*work*/) const {
  fail_as_exact_only();
}

Matrix SparsePosterior::draw_alphas(std::size_t /*num_draws*/, Random& /*random*/,
                                    const LongWork& /*work*/) const {
  fail_as_exact_only();
}

}  // namespace covary
