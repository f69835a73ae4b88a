#pragma once

#include <cstdint>

#include "device/steps.h"

// What the kernels of one launch know of one matrix of a batch. All pointers are of the device.

namespace covary::device {

inline constexpr int tile = 64;  // matrices are worked on in squares of so many rows

struct Item {
  double* matrix;       // lower triangle: covariances, then the factor
  std::int64_t stride;  // between its columns
  std::int32_t num_rows;
  std::int32_t num_tiles;  // of a matrix that is factored by tiles; it has the target as row n
  double* inverses;        // of the diagonal tiles, each followed by its transpose
  double* features;
  std::int64_t feature_stride;
  double* constants;
  const NodeStep* nodes;
  std::int32_t num_nodes;
  std::int32_t num_parameters;  // of the kernel
  const double* parameters;     // the noise variance last
  const double* columns;        // inputs, one after another
  const double* target;
  double constant_variance;
  double diagonal;  // on top of the noise
  double jitter;    // times the mean diagonal
  double* alpha;
  double* sums;             // one row of num_parameters + 1 sums per block
  double* products;         // num_parameters + 1 columns of n, and partial ones after them
  double* whitened;         // L^-1 times the products
  double* results;          // failed, mean diagonal, square, log determinant; gradient; information
  std::int32_t num_splits;  // partial products per row
  std::int32_t wants_information;
};

// Part of a matrix K^-1 whose weights alpha alpha' - K^-1 are contracted with the derivatives.
struct Part {
  const double* inverse;  // null: that of the item, in the place of its matrix
  std::int64_t stride;
  std::int32_t first_row;
  std::int32_t first_column;
  std::int32_t num_rows;  // whole tiles unless it is the end of the matrix
  std::int32_t num_columns;
  std::int32_t tiles_per_block;
  std::int32_t first_block;  // among the rows of sums
};

inline constexpr int result_failed = 0;
inline constexpr int result_mean_diagonal = 1;
inline constexpr int result_square = 2;
inline constexpr int result_log_determinant = 3;
inline constexpr int first_gradient = 4;

}  // namespace covary::device
