#include "linalg/cholesky.h"

#include <algorithm>
#include <cmath>

#include "linalg/lapack.h"
#include "linalg/large_factor.h"

namespace covary {
namespace {

// One call of LAPACK would take so long of these that nobody could end it.
bool is_large(const Matrix& matrix) { return matrix.num_rows() > many_rows; }
LongWork by_this_thread() { return {.threads = 1}; }

bool is_finite_diagonal(const Matrix& matrix) {
  for (std::size_t i = 0; i < matrix.num_rows(); ++i) {
    if (!std::isfinite(matrix(i, i))) return false;
  }
  return true;
}

double mean_diagonal(const Matrix& matrix) {
  double sum = 0.0;
  for (std::size_t i = 0; i < matrix.num_rows(); ++i) sum += matrix(i, i);
  return sum / static_cast<double>(matrix.num_rows());
}

// In-place inverse of a lower triangular matrix, column by column, for small sizes.
void invert_small_triangle(double* a, std::size_t n, std::size_t stride) {
  for (std::size_t j = n; j-- > 0;) {
    double* column = a + j * stride;
    const double pivot = 1.0 / column[j];
    // column := -inverse(trailing) * column * pivot, the trailing part being inverted already.
    for (std::size_t k = n; k-- > j + 1;) {
      const double* trailing = a + k * stride;
      const double factor = column[k];
      column[k] = factor * trailing[k];
      for (std::size_t i = k + 1; i < n; ++i) column[i] += factor * trailing[i];
    }
    for (std::size_t i = j + 1; i < n; ++i) column[i] *= -pivot;
    column[j] = pivot;
  }
}

// Where halves of a matrix meet: at a whole number of vectors.
std::size_t half_of(std::size_t n) { return ((n / 2 + 7) / 8) * 8; }

// B := alpha A B or alpha B A, A being a lower triangle, all of one stride.
void multiply_by_triangle(const char* side, double alpha, const double* a, double* b,
                          std::size_t num_rows, std::size_t num_columns, std::size_t stride) {
  const int rows = static_cast<int>(num_rows);
  const int columns = static_cast<int>(num_columns);
  const int lda = static_cast<int>(stride);
  dtrmm(side, "L", "N", "N", &rows, &columns, &alpha, a, &lda, b, &lda);
}

// `factor` says whether there is one.
template <class Factor>
CholeskyOutcome factored(Matrix& matrix, const std::function<void(Matrix&)>& fill,
                         const Factor& factor) {
  for (const double jitter : jitters) {
    fill(matrix);
    if (!is_finite_diagonal(matrix)) return {};
    const double added = jitter * mean_diagonal(matrix);
    if (jitter > 0.0) {
      for (std::size_t i = 0; i < matrix.num_rows(); ++i) matrix(i, i) += added;
    }
    // A NaN off the diagonal passes through dpotrf unnoticed and ends in the last pivot.
    if (factor(matrix) && is_finite_diagonal(matrix)) return {true, jitter};
  }
  return {};
}

}  // namespace

CholeskyOutcome cholesky(Matrix& matrix, const std::function<void(Matrix&)>& fill) {
  if (is_large(matrix)) return large_cholesky(matrix, fill, by_this_thread());
  return factored(matrix, fill, [](Matrix& filled) {
    const int n = static_cast<int>(filled.num_rows());
    int info = 0;
    dpotrf("L", &n, filled.data(), &n, &info);
    return info == 0;
  });
}

CholeskyOutcome large_cholesky(Matrix& matrix, const std::function<void(Matrix&)>& fill,
                               const LongWork& work) {
  return factored(matrix, fill, [&](Matrix& filled) { return factor_by_tiles(filled, work) == 0; });
}

double log_determinant(const Matrix& factor) {
  double sum = 0.0;
  for (std::size_t i = 0; i < factor.num_rows(); ++i) sum += std::log(factor(i, i));
  return 2.0 * sum;
}

void solve_lower(const Matrix& factor, std::span<double> x) {
  const int n = static_cast<int>(factor.num_rows());
  const int one = 1;
  dtrsv("L", "N", "N", &n, factor.data(), &n, x.data(), &one);
}

void solve_lower_transposed(const Matrix& factor, std::span<double> x) {
  const int n = static_cast<int>(factor.num_rows());
  const int one = 1;
  dtrsv("L", "T", "N", &n, factor.data(), &n, x.data(), &one);
}

void solve_lower(const Matrix& factor, Matrix& x) {
  if (is_large(factor)) {
    const LongWork work = by_this_thread();
    Checkpoint checkpoint(work, solve_amount(x.num_rows(), x.num_columns()));
    return solve_lower(factor, 0, x, checkpoint);
  }
  const int n = static_cast<int>(factor.num_rows());
  const int columns = static_cast<int>(x.num_columns());
  const double one = 1.0;
  dtrsm("L", "L", "N", "N", &n, &columns, &one, factor.data(), &n, x.data(), &n);
}

void solve_lower_transposed(const Matrix& factor, Matrix& x) {
  if (is_large(factor)) {
    const LongWork work = by_this_thread();
    Checkpoint checkpoint(work, solve_amount(x.num_rows(), x.num_columns()));
    return solve_lower_transposed(factor, 0, x, checkpoint);
  }
  const int n = static_cast<int>(factor.num_rows());
  const int columns = static_cast<int>(x.num_columns());
  const double one = 1.0;
  dtrsm("L", "L", "T", "N", &n, &columns, &one, factor.data(), &n, x.data(), &n);
}

void invert_triangle(double* a, std::size_t n, std::size_t stride) {
  constexpr std::size_t small = 32;
  if (n <= small) {
    invert_small_triangle(a, n, stride);
    return;
  }
  const std::size_t half = half_of(n);
  double* lower_left = a + half;
  double* lower_right = a + half * stride + half;
  invert_triangle(a, half, stride);
  invert_triangle(lower_right, n - half, stride);
  // L21 := -L22^-1 L21 L11^-1
  multiply_by_triangle("R", -1.0, a, lower_left, n - half, half, stride);
  multiply_by_triangle("L", 1.0, lower_right, lower_left, n - half, half, stride);
}

void invert_from_cholesky(Matrix& factor) {
  if (is_large(factor)) return invert_by_tiles(factor, by_this_thread());
  const int n = static_cast<int>(factor.num_rows());
  invert_triangle(factor.data(), factor.num_rows(), factor.num_rows());
  int info = 0;
  dlauum("L", &n, factor.data(), &n, &info);
}

}  // namespace covary
