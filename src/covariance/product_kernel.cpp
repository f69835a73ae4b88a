#include "covariance/product_kernel.h"

#include <algorithm>
#include <cmath>

namespace covary {
namespace {

std::optional<Expression> base_kernels_of(const Product& product) {
  std::optional<Expression> joined;
  for (const Factor& factor : product) {
    if (!factor.is_base_kernel()) continue;
    joined = joined ? *joined * Expression(factor.kernel) : Expression(factor.kernel);
  }
  return joined;
}

}  // namespace

ProductKernel::ProductKernel(const Product& product) {
  if (const auto joined = base_kernels_of(product)) compiled_.emplace(*joined);
  for (const Factor& factor : product) {
    if (factor.is_base_kernel()) {
      parameters_.insert(parameters_.end(), factor.parameters.begin(), factor.parameters.end());
    } else {
      sides_.push_back(factor);
    }
  }
}

ProductKernel::ProductKernel(const Expression& expression, std::span<const double> parameters)
    : parameters_(parameters.begin(), parameters.end()), compiled_(expression) {}

std::vector<double> ProductKernel::weights(const InputColumns& x) const {
  std::vector<double> weights(x.empty() ? 0 : x[0].size(), 1.0);
  for (const Factor& side : sides_) {
    const double location = side.parameters[0];
    const double width = side.parameters[1];
    const double sign = side.side == Factor::Side::after ? 1.0 : -1.0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      // 1 − s(x) = s at the mirrored place, which does not cancel.
      weights[i] /= 1.0 + std::exp(-sign * (x[side.change.column][i] - location) / width);
    }
  }
  return weights;
}

void ProductKernel::gram(const InputColumns& x, Matrix& out) const {
  const std::size_t n = out.num_rows();
  if (compiled_) {
    compiled_->gram(parameters_, x, out);
  } else {
    std::fill_n(out.data(), n * n, 1.0);
  }
  if (has_sides()) {
    const std::vector<double> w = weights(x);
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t i = j; i < n; ++i) out(i, j) *= w[i] * w[j];
    }
  }
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j + 1; i < n; ++i) out(j, i) = out(i, j);
  }
}

void ProductKernel::cross(const InputColumns& rows, const InputColumns& columns,
                          Matrix& out) const {
  if (compiled_) {
    compiled_->cross(parameters_, rows, columns, out);
  } else {
    std::fill_n(out.data(), out.num_rows() * out.num_columns(), 1.0);
  }
  if (!has_sides()) return;
  const std::vector<double> row_weights = weights(rows);
  const std::vector<double> column_weights = weights(columns);
  for (std::size_t j = 0; j < out.num_columns(); ++j) {
    for (std::size_t i = 0; i < out.num_rows(); ++i) {
      out(i, j) *= row_weights[i] * column_weights[j];
    }
  }
}

void ProductKernel::diagonal(const InputColumns& x, std::span<double> out) const {
  if (compiled_) {
    compiled_->diagonal(parameters_, x, out);
  } else {
    std::fill(out.begin(), out.end(), 1.0);
  }
  if (!has_sides()) return;
  const std::vector<double> w = weights(x);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] *= w[i] * w[i];
}

std::vector<double> ProductKernel::noise(const InputColumns& x) const {
  const std::vector<double> w = weights(x);
  std::vector<double> noise(w.size(), 0.0);
  if (compiled_) noise = compiled_->noise(parameters_, x);
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] *= w[i] * w[i];
  return noise;
}

}  // namespace covary
