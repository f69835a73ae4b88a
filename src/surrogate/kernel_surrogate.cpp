#include "surrogate/kernel_surrogate.h"

#include <algorithm>
#include <utility>

#include "kernel_distance/transport_table.h"

namespace covary {

KernelSurrogate::KernelSurrogate(SurrogateOptions options)
    : KernelSurrogate(std::make_unique<TransportTable>(), options) {}

KernelSurrogate::KernelSurrogate(std::unique_ptr<DistanceSet> distances, SurrogateOptions options)
    : distances_(std::move(distances)), meta_gp_(options), rows_(distances_->num_parts()) {}

void KernelSurrogate::add(const Expression& kernel, double value) {
  forget_beliefs();
  const std::vector<Matrix> row = distances_->distances({&kernel, 1});
  for (std::size_t p = 0; p < row.size(); ++p) {
    rows_[p].insert(rows_[p].end(), row[p].data(), row[p].data() + row[p].num_rows());
  }
  distances_->add(kernel);
  kernels_.push_back(kernel);
  values_.push_back(value);
}

std::vector<Matrix> KernelSurrogate::distance_matrices() const {
  const std::size_t n = kernels_.size();
  std::vector<Matrix> matrices;
  for (const std::vector<double>& rows : rows_) {
    Matrix& matrix = matrices.emplace_back(n, n);
    const double* next = rows.data();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < i; ++j) matrix(i, j) = matrix(j, i) = *next++;
      matrix(i, i) = 0.0;
    }
  }
  return matrices;
}

MaximizeSummary KernelSurrogate::refit(Random& random) {
  forget_beliefs();
  return meta_gp_.fit(distance_matrices(), values_, random);
}

void KernelSurrogate::condition() {
  forget_beliefs();
  meta_gp_.condition(distance_matrices(), values_);
}

void KernelSurrogate::believe(const Expression& kernel) {
  meta_gp_.believe(distances_->distances({&kernel, 1}));
  distances_->add(kernel);
}

SurrogatePrediction KernelSurrogate::predict(std::span<const Expression> kernels) const {
  return meta_gp_.predict(distances_->distances(kernels));
}

double KernelSurrogate::incumbent() const {
  return *std::max_element(meta_gp_.fitted_mean().begin(), meta_gp_.fitted_mean().end());
}

}  // namespace covary
