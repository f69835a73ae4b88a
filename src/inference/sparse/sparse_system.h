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

// What a sparse posterior is made of. With S the covariances of the support with all rows, K_S its
// own, Λ the noise of the rows and A = L^-1 S Λ^-1/2:
//   K_S + a little = L L',   B = I + A A' = R R',   Q = S' (L L')^-1 S, which stands for K.
struct SparseSystem {
  Matrix support_factor;       // L, in the lower triangle
  Matrix system;               // R there, and what is above the diagonal of A A' above it
  std::vector<double> square;  // the diagonal of A A'
  std::vector<double> image;   // A Λ^-1/2 y
  std::vector<double> rest;    // of each row: its variance less that in Q, never negative
  double jitter = 0.0;         // of L, relative to the mean diagonal
};

// One pass over the rows, in as much memory as the support asks for. Nothing where a matrix cannot
// be factored. Throws WorkStopped. The same bits for any number of threads.
std::optional<SparseSystem> make_sparse_system(const SparseRows& rows, const LongWork& work);

// L of the support with so much on its diagonal, in units of its mean, and more where that does not
// do; what it took is the outcome's. Throws WorkStopped.
CholeskyOutcome factor_support(const SparseRows& rows, double jitter, Matrix& factor,
                               const LongWork& work);

// Operations on numbers that it takes.
double system_operations(std::size_t num_rows, std::size_t num_support);

// L^-1 S Λ^-1/2 of the rows of a block.
Matrix whitened_block(const SparseRows& rows, const Matrix& support_factor, std::size_t block);

// x := (Q + Λ)^-1 x, by two passes of products over the rows. Throws WorkStopped.
void solve_system(const SparseRows& rows, const SparseSystem& system, std::span<double> x,
                  const LongWork& work);

}  // namespace covary
