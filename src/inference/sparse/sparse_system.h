#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <covary/long_work.h>

#include "inference/sparse/sparse_rows.h"
#include "linalg/cholesky.h"
#include "linalg/matrix.h"

namespace covary {

// With S the covariances of the support with all rows, K_S its own, L L' = K_S + a little, and Λ
// what the rows have beside Q = S' (L L')^-1 S, which stands for K:
//   A = L^-1 S Λ^-1/2,   B = I + A A' = R R'.
struct RowSystem {
  Matrix factor;               // R in the lower triangle, and what is above the diagonal of A A'
  std::vector<double> square;  // the diagonal of A A'
  std::vector<double> image;   // A Λ^-1/2 y
};

// What a sparse posterior is made of.
struct SparseSystem {
  Matrix support_factor;  // L, in the lower triangle
  double jitter = 0.0;    // of L, relative to the mean diagonal
  RowSystem posterior;    // with the own covariances of the rows for Λ
  // With their noise alone, where that is another one: what bounds the exact evidence.
  std::optional<RowSystem> noise_alone;
  std::vector<double> rest;  // of each row: its variance less that in Q, never negative
  // Of Λ. Where the rows' own variances are in it, at least log|K + noise| less that of bound()'s
  // B.
  double own_log_determinant = 0.0;

  const RowSystem& bound() const { return noise_alone ? *noise_alone : posterior; }
};

// One pass over the rows, in as much memory as the support asks for, with what bounds the evidence
// or without. Nothing where a matrix cannot be factored. Throws WorkStopped. The same bits for any
// number of threads.
std::optional<SparseSystem> make_sparse_system(const SparseRows& rows, bool has_bound,
                                               const LongWork& work);

// L of the support with so much on its diagonal, in units of its mean, and more where that does not
// do; what it took is the outcome's. Throws WorkStopped.
CholeskyOutcome factor_support(const SparseRows& rows, double jitter, Matrix& factor,
                               const LongWork& work);

// That are added up over the rows, and the operations on numbers that so many of them take.
std::size_t num_systems(OwnPart own_part, bool has_bound);
double system_operations(std::size_t num_rows, std::size_t num_support, std::size_t num_systems);

// The rows of a block: L^-1 S, and the factor of their own covariances.
struct RowBlock {
  Matrix known;
  Matrix own_factor;
};
RowBlock row_block(const SparseRows& rows, const Matrix& support_factor, std::size_t block,
                   std::span<double> rest);

// X := X L'^-1 and X := X L^-1.
void solve_lower_transposed_from_right(const Matrix& factor, Matrix& x);
void solve_lower_from_right(const Matrix& factor, Matrix& x);

// x := (Q + Λ)^-1 x with the noise for Λ, by two passes of products over the rows. Throws
// WorkStopped.
void solve_system(const SparseRows& rows, const SparseSystem& system, std::span<double> x,
                  const LongWork& work);

}  // namespace covary
