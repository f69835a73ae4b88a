#pragma once

#include <functional>
#include <span>

#include <covary/long_work.h>

#include "linalg/matrix.h"

namespace covary {

// What it took to factor a covariance matrix.
struct [[nodiscard]] CholeskyOutcome {
  bool succeeded = false;
  double jitter =
      0.0;  // added to the diagonal, in units of the mean diagonal; 0 if none was needed
};

// The only jitter policy: none at first, then 1e-10 of the mean diagonal, ten times more at each
// failure, up to 1e-4; then failure is a value.
inline constexpr double jitters[] = {0.0, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4};

// `fill` writes the lower triangle (again, after each failure).
CholeskyOutcome cholesky(Matrix& matrix, const std::function<void(Matrix&)>& fill);

// The same by tiles on several threads (large_factor.h), to rounding. Throws WorkStopped.
CholeskyOutcome large_cholesky(Matrix& matrix, const std::function<void(Matrix&)>& fill,
                               const LongWork& work);

// All of these take the factor L of K = L L' in the lower triangle, and leave the upper one alone.
double log_determinant(const Matrix& factor);                            // of K
void solve_lower(const Matrix& factor, std::span<double> x);             // x := L^-1 x
void solve_lower_transposed(const Matrix& factor, std::span<double> x);  // x := L'^-1 x
void solve_lower(const Matrix& factor, Matrix& x);                       // X := L^-1 X
void solve_lower_transposed(const Matrix& factor, Matrix& x);            // X := L'^-1 X

// Replaces L by the lower triangle of K^-1. Faster than LAPACK's dpotri: the triangular inverse is
// a recursion on products of triangular matrices, which run near the machine's peak.
void invert_from_cholesky(Matrix& factor);

// In-place inverse of the lower triangle of n rows and columns that begins there.
void invert_triangle(double* a, std::size_t n, std::size_t stride);

}  // namespace covary
