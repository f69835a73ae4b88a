#pragma once

#include <cstddef>
#include <vector>

#include <covary/long_work.h>

#include "base/checkpoint.h"
#include "linalg/matrix.h"

namespace covary {

// Cholesky factors of matrices so large that one of them is all that there is room for, and that
// nobody would wait for a call that cannot be ended: in place, tile by tile, on several threads.
// All results are the same bits for every number of threads. The upper triangle is left alone.

// More rows than this are many: below, LAPACK on one thread takes a tenth of a second.
inline constexpr std::size_t many_rows = 2000;

// The lower triangle of a matrix becomes that of its factor. Gives the order of the first leading
// minor that is not positive definite, as LAPACK does; 0 if all are. Throws WorkStopped. The size
// of tiles is for tests; 0 is what is fastest.
std::size_t factor_by_tiles(Matrix& matrix, const LongWork& work, std::size_t tile_size = 0);

// Replaces the factor L by the lower triangle of K^-1, in place: twice as much work as the factor
// was. Throws WorkStopped; nobody is told how far it is.
void invert_by_tiles(Matrix& factor, const LongWork& work, std::size_t tile_size = 0);

// X := L^-1 X and X := L'^-1 X, L being the part of the factor from row and column `first` on, by
// the calling thread. They pass the checkpoint with amounts that add up to solve_amount().
void solve_lower(const Matrix& factor, std::size_t first, Matrix& x, Checkpoint& checkpoint);
void solve_lower_transposed(const Matrix& factor, std::size_t first, Matrix& x,
                            Checkpoint& checkpoint);
double solve_amount(std::size_t num_rows, std::size_t num_columns);

// The diagonal of K^-1, by blocks of columns of L^-1: as much work as the factor was, and no
// second matrix. Throws WorkStopped.
std::vector<double> inverse_diagonal(const Matrix& factor, const LongWork& work);

// Seconds that factor_by_tiles() will take on this machine, by the speed of products of matrices
// on all of the threads at once, which is measured at the first call: that takes a tenth of a
// second.
double factor_seconds(std::size_t num_rows, std::size_t num_threads);
// The same of so many operations on numbers in products of matrices as large.
double operation_seconds(double num_operations, std::size_t num_threads);

}  // namespace covary
