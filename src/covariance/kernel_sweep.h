#pragma once

#include <algorithm>
#include <vector>

#include "covariance/compiled_kernel.h"

namespace covary {

// Rows of a column that are computed at a time: a few arrays of this length stay in the L1 cache.
inline constexpr std::size_t block_size = 256;
static_assert(block_size % block_granularity == 0);

inline std::size_t padded(std::size_t size) {
  return (size + block_granularity - 1) / block_granularity * block_granularity;
}

// The values of all nodes on one block, and the way back from the root's adjoint.
class CompiledKernel::Sweep {
 public:
  Sweep(const CompiledKernel& kernel, std::span<const double> parameters, const Features& rows,
        const Features& columns, Kept* kept = nullptr, bool fill = false)
      : nodes_(kernel.nodes_),
        parameters_(parameters.first(kernel.num_parameters_)),
        rows_(rows),
        columns_(columns),
        values_(nodes_.size() * block_size),
        shared_(nodes_.size() * block_size),
        adjoints_(nodes_.size() * block_size),
        blocks_(nodes_.size()),
        values_of_(nodes_.size()),
        shared_of_(nodes_.size()),
        kept_(kept),
        fills_kept_(fill) {
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      values_of_[n] = &values_[n * block_size];
      shared_of_[n] = &shared_[n * block_size];
    }
  }

  // Computes rows first ... first + size - 1 of column j; the root's values stay readable.
  const double* forward(std::size_t j, std::size_t first, std::size_t size) {
    std::size_t num_used = 0;  // of the kept arrays
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const Node& node = nodes_[n];
      Block& block = blocks_[n];
      block.size = padded(size);
      const std::size_t num_features =
          node.kernel != nullptr ? node.kernel->num_features : node.op->num_features;
      const auto& row_features = rows_.of_node[n];
      const auto& point_features = columns_.of_node[n];
      for (std::size_t f = 0; f < num_features; ++f) block.features[f] = row_features[f] + first;
      if (num_features > 0) block.point.x = point_features[0][j];
      if (num_features > 1) block.point.second = point_features[1][j];
      if (num_features > 2) block.point.third = point_features[2][j];
      if (node.kernel == nullptr) {
        node.op->values(own(node), block, values(node.left), values(node.right), values(n));
        continue;
      }
      const std::size_t num_arrays = node.kernel->has_shared ? 2 : 1;
      const bool is_kept = kept_ != nullptr && num_used + num_arrays <= kept_->num_arrays;
      if (is_kept) {
        double* place = kept_->values.data() + num_used * kept_->array_size +
                        kept_->column_offset[j] + (first - j);
        values_of_[n] = place;
        if (node.kernel->has_shared) shared_of_[n] = place + kept_->array_size;
        num_used += num_arrays;
      }
      if (!is_kept || fills_kept_) node.kernel->values(own(node), block, values(n), shared_of_[n]);
    }
    return values(nodes_.size() - 1);
  }

  // Column j of a Gram matrix, from the diagonal on.
  void fill_column(std::size_t j, Matrix& out) {
    const std::size_t n = out.num_rows();
    for (std::size_t first = j; first < n; first += block_size) {
      const std::size_t size = std::min(block_size, n - first);
      std::copy_n(forward(j, first, size), size, out.column(j) + first);
    }
  }

  // Adds to `gradient` the derivative of sum_i weights[i] * value[i] of the last forward() block.
  void backward(const double* weights, std::size_t size, std::span<double> gradient) {
    double* root = adjoints(nodes_.size() - 1);
    std::copy_n(weights, size, root);
    std::fill(root + size, root + padded(size), 0.0);
    for (std::size_t n = nodes_.size(); n-- > 0;) {
      const Node& node = nodes_[n];
      double* sums = gradient.data() + node.first_parameter;
      if (node.kernel != nullptr) {
        node.kernel->gradient(own(node), blocks_[n], values(n), shared_of_[n], adjoints(n), sums);
      } else {
        node.op->gradient(own(node), blocks_[n], values(node.left), values(node.right), adjoints(n),
                          adjoints(node.left), adjoints(node.right), sums);
      }
    }
  }

  // Column j of a lower triangle of weights: its part of the weighted sum's gradient is added.
  void add_gradient(std::size_t j, const Matrix& weights, std::span<double> gradient) {
    const std::size_t n = weights.num_rows();
    for (std::size_t first = j; first < n; first += block_size) {
      const std::size_t size = std::min(block_size, n - first);
      forward(j, first, size);
      backward(weights.column(j) + first, size, gradient);
    }
  }

  // To column p of `out`, what column j of (dK / d parameter[p]) below the diagonal, and row j left
  // of it, contribute to its product with the vector.
  void add_derivative_products(std::size_t j, std::span<const double> vector, Matrix& out) {
    const std::size_t n = vector.size();
    const double own = vector[j];
    const std::size_t num_parameters = parameters_.size();
    if (derivatives_.empty()) {
      derivatives_storage_.resize(num_parameters * block_size);
      for (std::size_t p = 0; p < num_parameters; ++p) {
        derivatives_.push_back(&derivatives_storage_[p * block_size]);
      }
    }
    for (std::size_t first = j; first < n; first += block_size) {
      const std::size_t size = std::min(block_size, n - first);
      forward(j, first, size);
      derivatives(size, derivatives_.data());
      for (std::size_t p = 0; p < num_parameters; ++p) {
        double* product = out.column(p);
        const double* d = derivatives_[p];
        double sum = 0.0;
        if (first == j) product[j] += d[0] * own;
#pragma omp simd reduction(+ : sum)
        for (std::size_t i = first == j ? 1 : 0; i < size; ++i) {
          product[first + i] += d[i] * own;
          sum += d[i] * vector[first + i];
        }
        product[j] += sum;
      }
    }
  }

  // out[p][i] = d value[i] / d parameter[p] on the last forward() block, for every parameter.
  void derivatives(std::size_t size, double* const* out) {
    std::fill_n(adjoints(nodes_.size() - 1), padded(size), 1.0);
    for (std::size_t n = nodes_.size(); n-- > 0;) {
      const Node& node = nodes_[n];
      double* const* own_out = out + node.first_parameter;
      if (node.kernel != nullptr) {
        node.kernel->derivatives(own(node), blocks_[n], values(n), shared_of_[n], own_out);
      } else {
        node.op->derivatives(own(node), blocks_[n], values(node.left), values(node.right), own_out);
      }
      for (std::size_t p = 0; p < node.num_parameters; ++p) {
        for (std::size_t i = 0; i < size; ++i) own_out[p][i] *= adjoints(n)[i];
      }
      if (node.op == nullptr) continue;
      double unused[max_parameters] = {};
      node.op->gradient(own(node), blocks_[n], values(node.left), values(node.right), adjoints(n),
                        adjoints(node.left), adjoints(node.right), unused);
    }
  }

 private:
  double* values(std::size_t n) { return values_of_[n]; }
  double* adjoints(std::size_t n) { return adjoints_.data() + n * block_size; }
  const double* own(const Node& node) const { return parameters_.data() + node.first_parameter; }

  const std::vector<Node>& nodes_;
  std::span<const double> parameters_;
  const Features& rows_;
  const Features& columns_;
  std::vector<double> values_;
  std::vector<double> shared_;
  std::vector<double> adjoints_;
  std::vector<Block> blocks_;
  std::vector<double> derivatives_storage_;
  std::vector<double*> derivatives_;  // of each parameter, in that storage
  std::vector<double*> values_of_;    // in values_, or among the kept ones
  std::vector<double*> shared_of_;    // likewise
  Kept* kept_;
  bool fills_kept_;
};

}  // namespace covary
