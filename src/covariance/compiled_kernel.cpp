#include "covariance/compiled_kernel.h"

#include <algorithm>
#include <numeric>

#include "base/checkpoint.h"
#include "base/parallel.h"

namespace covary {
namespace {

// Rows of a column that are computed at a time: a few arrays of this length stay in the L1 cache.
constexpr std::size_t block_size = 256;
static_assert(block_size % block_granularity == 0);

std::size_t padded(std::size_t size) {
  return (size + block_granularity - 1) / block_granularity * block_granularity;
}

// Before column j of a matrix.
void look_up(std::size_t j, Checkpoint* checkpoint) {
  constexpr std::size_t columns_between = 16;
  if (checkpoint != nullptr && j % columns_between == 0) checkpoint->pass(0.0);
}

}  // namespace

// The values of all nodes on one block, and the way back from the root's adjoint.
class CompiledKernel::Sweep {
 public:
  Sweep(const CompiledKernel& kernel, std::span<const double> parameters, const Features& rows,
        const Features& columns, Kept* kept = nullptr, bool fill = false)
      : nodes_(kernel.nodes_),
        parameters_(parameters),
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
  std::vector<double*> values_of_;  // in values_, or among the kept ones
  std::vector<double*> shared_of_;  // likewise
  Kept* kept_;
  bool fills_kept_;
};

// Many where they are small, and where computing them again would be a large part of the work; few
// where they are large, and LAPACK takes nearly all of the time.
std::size_t CompiledKernel::max_kept(std::size_t num_rows) {
  constexpr std::size_t many_rows = 700;
  constexpr std::size_t very_many_rows = 2500;
  if (num_rows <= many_rows) return 16;
  return num_rows <= very_many_rows ? 4 : 2;
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
                          Kept* kept, Checkpoint* checkpoint) const {
  const Features features = prepare(parameters, x);
  const std::size_t n = out.num_rows();
  if (kept != nullptr) make_room(*kept, n);
  Sweep sweep(*this, parameters, features, features, kept, true);
  for (std::size_t j = 0; j < n; ++j) {
    look_up(j, checkpoint);
    sweep.fill_column(j, out);
  }
}

void CompiledKernel::large_gram(std::span<const double> parameters, const InputColumns& x,
                                Matrix& out, const LongWork& work) const {
  constexpr std::size_t columns_at_a_time = 16;
  const Features features = prepare(parameters, x);
  const std::size_t n = out.num_rows();
  std::vector<Sweep> sweeps;
  sweeps.reserve(work.num_threads());  // they point into themselves
  for (std::size_t t = 0; t < work.num_threads(); ++t) {
    sweeps.emplace_back(*this, parameters, features, features);
  }
  Checkpoint checkpoint(work, 0.5 * static_cast<double>(n) * static_cast<double>(n + 1));
  const std::size_t num_blocks = (n + columns_at_a_time - 1) / columns_at_a_time;
  parallel_for(sweeps.size(), num_blocks, [&](std::size_t block, std::size_t worker) {
    const std::size_t end = std::min((block + 1) * columns_at_a_time, n);
    std::size_t amount = 0;
    for (std::size_t j = block * columns_at_a_time; j < end; ++j) {
      sweeps[worker].fill_column(j, out);
      amount += n - j;
    }
    checkpoint.pass(static_cast<double>(amount));
  });
}

void CompiledKernel::weighted_gradient(std::span<const double> parameters, const InputColumns& x,
                                       const Matrix& weights, std::span<double> gradient,
                                       Kept* kept, Checkpoint* checkpoint) const {
  const Features features = prepare(parameters, x);
  Sweep sweep(*this, parameters, features, features, kept, false);
  std::fill_n(gradient.begin(), num_parameters_, 0.0);
  const std::size_t n = weights.num_rows();
  for (std::size_t j = 0; j < n; ++j) {
    look_up(j, checkpoint);
    for (std::size_t first = j; first < n; first += block_size) {
      const std::size_t size = std::min(block_size, n - first);
      sweep.forward(j, first, size);
      sweep.backward(weights.column(j) + first, size, gradient);
    }
  }
}

void CompiledKernel::derivative_products(std::span<const double> parameters, const InputColumns& x,
                                         std::span<const double> vector, Matrix& out, Kept* kept,
                                         Checkpoint* checkpoint) const {
  const Features features = prepare(parameters, x);
  Sweep sweep(*this, parameters, features, features, kept, false);
  const std::size_t n = vector.size();
  std::vector<double> storage(num_parameters_ * block_size);
  std::vector<double*> derivative(num_parameters_);
  for (std::size_t p = 0; p < num_parameters_; ++p) derivative[p] = &storage[p * block_size];
  std::fill_n(out.data(), num_parameters_ * n, 0.0);
  for (std::size_t j = 0; j < n; ++j) {
    look_up(j, checkpoint);
    for (std::size_t first = j; first < n; first += block_size) {
      const std::size_t size = std::min(block_size, n - first);
      sweep.forward(j, first, size);
      sweep.derivatives(size, derivative.data());
      for (std::size_t p = 0; p < num_parameters_; ++p) {
        double* product = out.column(p);
        const double* d = derivative[p];
        const double own = vector[j];
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
