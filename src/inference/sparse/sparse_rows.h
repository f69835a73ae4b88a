#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <covary/expression.h>
#include <covary/long_work.h>

#include "covariance/compiled_kernel.h"
#include "inference/likelihood.h"
#include "linalg/matrix.h"

namespace covary {

// What a posterior counts of the function beside what the support knows of it: nothing, each row's
// own variance, or also the covariances of neighbours (docs/math/sparse.md).
enum class OwnPart { none, rows, stretches };

// Rows, some of which are the support, and their covariances by a kernel: any part of them when it
// is asked for, never all at once. What a row shares with no other one, the noise and the kernel's
// white noise, is told apart from the covariances of the function. Of one input the rows are put in
// its order, so that blocks of them are neighbours; everything here is in that order but for what
// is told by row numbers. Owns copies of the rows. Safe to share by threads.
class SparseRows {
 public:
  // Rows that are worked on at a time: a block of covariances with the support is one matrix.
  static constexpr std::size_t block_rows = 256;

  SparseRows(const Expression& kernel, std::span<const double> parameters, const TrainingRows& rows,
             std::vector<std::size_t> support, OwnPart own_part);

  std::size_t size() const { return target_.size(); }
  std::size_t num_blocks() const { return (size() + block_rows - 1) / block_rows; }
  std::size_t first_of(std::size_t block) const { return block * block_rows; }
  std::size_t size_of(std::size_t block) const;
  std::span<const double> target() const { return target_; }
  std::span<const double> given_target() const { return given_target_; }  // by row number
  OwnPart own_part() const { return own_part_; }
  std::size_t row_number(std::size_t place) const { return order_[place]; }
  const std::vector<std::size_t>& support() const { return support_; }  // row numbers
  const std::vector<double>& noise() const { return noise_; }           // of each row
  const std::vector<double>& variance() const { return variance_; }     // of the function there

  // The lower triangle of the support's covariances.
  void fill_support(Matrix& out, const LongWork& work) const;

  // The covariances of the support (rows) with the rows of a block (columns).
  Matrix with_support(std::size_t block) const;

  // The lower triangle of what the rows of a block have beside what the support knows of them,
  // their noise included; `known` holds the columns whose products that is, and `rest` becomes each
  // row's variance beside it, without noise.
  Matrix own_covariances(std::size_t block, const Matrix& known, std::span<double> rest) const;

  // Products, K being the covariances of all rows and S those of the support with all rows: K v in
  // n² / 2 covariances, S v and S' v in as many as S has. The same bits for any number of threads.
  std::vector<double> product(std::span<const double> v, const LongWork& work) const;
  std::vector<double> support_product(std::span<const double> v, const LongWork& work) const;
  std::vector<double> transposed_product(std::span<const double> v, const LongWork& work) const;

 private:
  std::span<const double> kernel_parameters() const {
    return {parameters_.data(), kernel_.num_parameters()};
  }
  InputColumns columns(std::size_t first, std::size_t size) const;
  std::vector<double> tile_products(std::size_t first, std::size_t size, std::span<const double> v,
                                    class Checkpoint& checkpoint) const;

  CompiledKernel kernel_;
  std::vector<double> parameters_;
  double constant_variance_;
  OwnPart own_part_;
  std::vector<std::size_t> order_;
  std::vector<std::vector<double>> inputs_;
  std::vector<double> target_;
  std::vector<double> given_target_;
  std::vector<std::size_t> support_;
  std::vector<std::vector<double>> support_inputs_;
  std::vector<double> support_variance_;
  std::vector<double> noise_;
  std::vector<double> variance_;
};

}  // namespace covary
