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

// Rows, some of which are the support, and their covariances by a kernel: any part of them when it
// is asked for, never all at once. What a row shares with no other one, the noise and the kernel's
// white noise, is told apart from the covariances of the function. Owns copies of the rows. Safe to
// share by threads.
class SparseRows {
 public:
  // Rows that are worked on at a time: a block of covariances with the support is one matrix.
  static constexpr std::size_t block_rows = 256;

  SparseRows(const Expression& kernel, std::span<const double> parameters, const TrainingRows& rows,
             std::vector<std::size_t> support);

  std::size_t size() const { return target_.size(); }
  std::size_t num_blocks() const { return (size() + block_rows - 1) / block_rows; }
  std::span<const double> target() const { return target_; }
  const std::vector<std::size_t>& support() const { return support_; }
  const std::vector<double>& noise() const { return noise_; }        // of each row
  const std::vector<double>& variance() const { return variance_; }  // of the function there

  // The lower triangle of the support's covariances.
  void fill_support(Matrix& out, const LongWork& work) const;

  // The covariances of the support (rows) with the rows of a block (columns).
  Matrix with_support(std::size_t block) const;

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
  std::vector<std::vector<double>> inputs_;
  std::vector<double> target_;
  std::vector<std::size_t> support_;
  std::vector<std::vector<double>> support_inputs_;
  std::vector<double> noise_;
  std::vector<double> variance_;
};

}  // namespace covary
