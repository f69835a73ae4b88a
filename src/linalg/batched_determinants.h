#pragma once

#include <cstddef>
#include <vector>

#include "base/vector_width.h"

namespace covary {

// Many symmetric matrices of the same small order, side by side: an element of several matrices
// stands in a row, so that one instruction works on all of them.
class SymmetricBatch {
 public:
  static constexpr std::size_t lanes = 8;
  // Pivots that rounding made smaller, or negative, count as this.
  static constexpr double least_pivot = 1e-12;

  SymmetricBatch(std::size_t order, std::size_t count);

  std::size_t order() const { return order_; }
  std::size_t count() const { return count_; }

  // REQUIRES: j <= i < order().
  double& operator()(std::size_t matrix, std::size_t i, std::size_t j) {
    return values_[(matrix / lanes) * block_size() + (i * (i + 1) / 2 + j) * lanes +
                   matrix % lanes];
  }

  // log |A| of every matrix; with another batch of the same shape, log |(A + B) / 2| of every pair.
  // REQUIRES: positive semi-definite matrices, up to rounding; a machine with vectors of that
  // width.
  std::vector<double> log_determinants(const SymmetricBatch* other = nullptr,
                                       VectorWidth width = vector_width()) const;

 private:
  std::size_t num_blocks() const { return (count_ + lanes - 1) / lanes; }
  std::size_t block_size() const { return order_ * (order_ + 1) / 2 * lanes; }

  std::size_t order_;
  std::size_t count_;
  // By block of matrices, then by element of the lower triangle, row after row, then by matrix.
  // The last block is filled up with unit matrices.
  std::vector<double> values_;
};

}  // namespace covary
