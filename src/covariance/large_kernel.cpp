// What takes n² covariances, of many rows: on several threads, in blocks of columns that are the
// same for any number of them.
#include <algorithm>
#include <cmath>

#include "base/checkpoint.h"
#include "base/parallel.h"
#include "covariance/kernel_sweep.h"

namespace covary {
namespace {

constexpr std::size_t columns_at_a_time = 16;

std::size_t num_blocks_of(std::size_t num_columns) {
  return (num_columns + columns_at_a_time - 1) / columns_at_a_time;
}

// Columns of a lower triangle, cut into parts of about as many numbers each.
std::vector<std::size_t> equal_parts(std::size_t num_columns, std::size_t count) {
  std::vector<std::size_t> ends;
  for (std::size_t part = 1; part <= count; ++part) {
    const double rest = 1.0 - static_cast<double>(part) / static_cast<double>(count);
    ends.push_back(num_columns -
                   static_cast<std::size_t>(std::sqrt(rest) * static_cast<double>(num_columns)));
  }
  return ends;
}

}  // namespace

std::vector<CompiledKernel::Sweep> CompiledKernel::sweeps(std::size_t count,
                                                          std::span<const double> parameters,
                                                          const Features& features) const {
  std::vector<Sweep> sweeps;
  sweeps.reserve(count);  // they point into themselves
  for (std::size_t t = 0; t < count; ++t) {
    sweeps.emplace_back(*this, parameters, features, features);
  }
  return sweeps;
}

void CompiledKernel::large_gram(std::span<const double> parameters, const InputColumns& x,
                                Matrix& out, const LongWork& work) const {
  const Features features = prepare(parameters, x);
  const std::size_t n = out.num_rows();
  std::vector<Sweep> sweeps = this->sweeps(work.num_threads(), parameters, features);
  Checkpoint checkpoint(work, 0.5 * static_cast<double>(n) * static_cast<double>(n + 1));
  parallel_for(sweeps.size(), num_blocks_of(n), [&](std::size_t block, std::size_t worker) {
    const std::size_t end = std::min((block + 1) * columns_at_a_time, n);
    std::size_t amount = 0;
    for (std::size_t j = block * columns_at_a_time; j < end; ++j) {
      sweeps[worker].fill_column(j, out);
      amount += n - j;
    }
    checkpoint.pass(static_cast<double>(amount));
  });
}

void CompiledKernel::large_weighted_gradient(std::span<const double> parameters,
                                             const InputColumns& x, const Matrix& weights,
                                             std::span<double> gradient,
                                             const LongWork& work) const {
  const Features features = prepare(parameters, x);
  const std::size_t n = weights.num_rows();
  std::vector<Sweep> sweeps = this->sweeps(work.num_threads(), parameters, features);
  Checkpoint checkpoint(work, 1.0);
  // Added up in the order of blocks.
  Matrix sums(num_parameters_, num_blocks_of(n));
  std::fill_n(sums.data(), num_parameters_ * sums.num_columns(), 0.0);
  parallel_for(sweeps.size(), sums.num_columns(), [&](std::size_t block, std::size_t worker) {
    const std::size_t end = std::min((block + 1) * columns_at_a_time, n);
    for (std::size_t j = block * columns_at_a_time; j < end; ++j) {
      sweeps[worker].add_gradient(j, weights, {sums.column(block), num_parameters_});
    }
    checkpoint.pass(0.0);
  });
  std::fill_n(gradient.begin(), num_parameters_, 0.0);
  for (std::size_t block = 0; block < sums.num_columns(); ++block) {
    for (std::size_t p = 0; p < num_parameters_; ++p) gradient[p] += sums(p, block);
  }
}

void CompiledKernel::large_derivative_products(std::span<const double> parameters,
                                               const InputColumns& x,
                                               std::span<const double> vector, Matrix& out,
                                               const LongWork& work) const {
  constexpr std::size_t num_parts = 16;  // each has products of its own, which are added up
  const Features features = prepare(parameters, x);
  const std::size_t n = vector.size();
  const std::vector<std::size_t> ends = equal_parts(n, num_parts);
  std::vector<Sweep> sweeps = this->sweeps(work.num_threads(), parameters, features);
  Checkpoint checkpoint(work, 1.0);
  std::vector<Matrix> products(num_parts);
  const auto size = n * num_parameters_;
  parallel_for(sweeps.size(), num_parts, [&](std::size_t part, std::size_t worker) {
    Matrix& own = products[part] = Matrix(n, num_parameters_);
    std::fill_n(own.data(), size, 0.0);
    for (std::size_t j = part == 0 ? 0 : ends[part - 1]; j < ends[part]; ++j) {
      if (j % columns_at_a_time == 0) checkpoint.pass(0.0);
      sweeps[worker].add_derivative_products(j, vector, own);
    }
  });
  std::fill_n(out.data(), size, 0.0);
  for (const Matrix& own : products) {
    for (std::size_t k = 0; k < size; ++k) out.data()[k] += own.data()[k];
  }
}

}  // namespace covary
