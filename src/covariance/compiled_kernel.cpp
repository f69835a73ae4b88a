#include "covariance/compiled_kernel.h"

#include <algorithm>
#include <numeric>

#include "covariance/kernel_sweep.h"

namespace covary {

// Many where they are small, and where computing them again would be a large part of the work; few
// where they are large, and LAPACK takes nearly all of the time.
std::size_t CompiledKernel::max_kept(std::size_t num_rows) {
  constexpr std::size_t rows_of_large_ones = 700;
  return num_rows <= rows_of_large_ones ? 16 : 4;
}

CompiledKernel::CompiledKernel(const Expression& expression) {
  nodes_.reserve(expression.num_nodes());
  add(expression);
}

std::size_t CompiledKernel::add(const Expression& expression) {
  Node node;
  node.first_parameter = num_parameters_;
  if (expression.is_leaf()) {
    node.kernel = &expression.base_kernel().kernel->numerics->best();
    node.column = expression.base_kernel().column;
    node.period = expression.base_kernel().period;
    node.num_parameters = expression.base_kernel().kernel->parameters.size();
    num_parameters_ += node.num_parameters;
  } else {
    node.op = &expression.op().op->numerics->best();
    node.column = expression.op().column;
    node.num_parameters = expression.op().op->parameters.size();
    num_parameters_ += node.num_parameters;
    node.left = add(expression.left());
    node.right = add(expression.right());
  }
  nodes_.push_back(node);
  return nodes_.size() - 1;
}

CompiledKernel::Features CompiledKernel::prepare(std::span<const double> parameters,
                                                 const InputColumns& x,
                                                 std::size_t first_row) const {
  Features features;
  features.of_node.resize(nodes_.size());
  std::size_t num_stored = 0;
  for (const Node& node : nodes_) {
    num_stored += node.kernel != nullptr ? node.kernel->num_features : node.op->num_features;
  }
  // Blocks reach beyond the last row, where they find it repeated.
  const std::size_t num_rows = x.empty() ? 0 : x[0].size();
  const std::size_t height = num_rows + block_granularity;
  features.storage.resize(num_stored * height);
  double* free = features.storage.data();
  for (std::size_t n = 0; n < nodes_.size(); ++n) {
    const Node& node = nodes_[n];
    const bool is_leaf = node.kernel != nullptr;
    const std::size_t num_features = is_leaf ? node.kernel->num_features : node.op->num_features;
    double* writable[max_features] = {};
    for (std::size_t f = 0; f < num_features; ++f) {
      writable[f] = free;
      features.of_node[n][f] = free;
      free += height;
    }
    if (num_features == 0) continue;
    const double* column = x[node.column].data();
    if (is_leaf && node.kernel->looks_at_rows) {
      std::iota(writable[0], writable[0] + num_rows, static_cast<double>(first_row));
    } else if (is_leaf) {
      std::transform(column, column + num_rows, writable[0],
                     [&](double value) { return value / node.period; });
      column = writable[0];
    }
    const auto prepare_node = is_leaf ? node.kernel->prepare : node.op->prepare;
    prepare_node(parameters.data() + node.first_parameter, column, num_rows, writable);
    for (std::size_t f = 0; f < num_features && num_rows > 0; ++f) {
      std::fill_n(writable[f] + num_rows, block_granularity, writable[f][num_rows - 1]);
    }
  }
  return features;
}

void CompiledKernel::make_room(Kept& kept, std::size_t num_rows) const {
  std::size_t wanted = 0;
  for (const Node& node : nodes_) {
    if (node.kernel != nullptr) wanted += node.kernel->has_shared ? 2 : 1;
  }
  kept.num_arrays = std::min(wanted, max_kept(num_rows));
  if (kept.column_offset.size() != num_rows) {
    kept.column_offset.resize(num_rows);
    kept.array_size = 0;
    for (std::size_t j = 0; j < num_rows; ++j) {
      kept.column_offset[j] = kept.array_size;
      kept.array_size += padded(num_rows - j);
    }
  }
  kept.values.resize(kept.num_arrays * kept.array_size);
}

void CompiledKernel::gram(std::span<const double> parameters, const InputColumns& x, Matrix& out,
                          Kept* kept) const {
  const Features features = prepare(parameters, x);
  const std::size_t n = out.num_rows();
  if (kept != nullptr) make_room(*kept, n);
  Sweep sweep(*this, parameters, features, features, kept, true);
  for (std::size_t j = 0; j < n; ++j) sweep.fill_column(j, out);
}

void CompiledKernel::weighted_gradient(std::span<const double> parameters, const InputColumns& x,
                                       const Matrix& weights, std::span<double> gradient,
                                       Kept* kept) const {
  const Features features = prepare(parameters, x);
  Sweep sweep(*this, parameters, features, features, kept, false);
  std::fill_n(gradient.begin(), num_parameters_, 0.0);
  for (std::size_t j = 0; j < weights.num_rows(); ++j) sweep.add_gradient(j, weights, gradient);
}

void CompiledKernel::derivative_products(std::span<const double> parameters, const InputColumns& x,
                                         std::span<const double> vector, Matrix& out,
                                         Kept* kept) const {
  const Features features = prepare(parameters, x);
  Sweep sweep(*this, parameters, features, features, kept, false);
  std::fill_n(out.data(), num_parameters_ * vector.size(), 0.0);
  for (std::size_t j = 0; j < vector.size(); ++j) sweep.add_derivative_products(j, vector, out);
}

void CompiledKernel::cross(std::span<const double> parameters, const InputColumns& rows,
                           const InputColumns& columns, Matrix& out) const {
  const Features row_features = prepare(parameters, rows);
  const Features column_features = prepare(parameters, columns, out.num_rows());
  Sweep sweep(*this, parameters, row_features, column_features);
  for (std::size_t j = 0; j < out.num_columns(); ++j) {
    for (std::size_t first = 0; first < out.num_rows(); first += block_size) {
      const std::size_t size = std::min(block_size, out.num_rows() - first);
      std::copy_n(sweep.forward(j, first, size), size, out.column(j) + first);
    }
  }
}

void CompiledKernel::diagonal(std::span<const double> parameters, const InputColumns& x,
                              std::span<double> out) const {
  const Features features = prepare(parameters, x);
  Sweep sweep(*this, parameters, features, features);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = *sweep.forward(i, i, 1);
}

std::vector<double> CompiledKernel::noise(std::span<const double> parameters,
                                          const InputColumns& x) const {
  std::vector<double> noise(x.empty() ? 0 : x[0].size(), 0.0);
  const bool has_noise = std::any_of(nodes_.begin(), nodes_.end(), [](const Node& node) {
    return node.kernel != nullptr && node.kernel->looks_at_rows;
  });
  if (!has_noise) return noise;
  diagonal(parameters, x, noise);
  const Features features = prepare(parameters, x);
  const Features others = prepare(parameters, x, noise.size());
  Sweep sweep(*this, parameters, features, others);
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] -= *sweep.forward(i, i, 1);
  return noise;
}

}  // namespace covary
