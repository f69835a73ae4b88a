#include "inference/sparse/sparse_inference.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "inference/sparse/sparse_posterior.h"
#include "inference/sparse/support_rows.h"
#include "linalg/large_factor.h"

namespace covary {
namespace {

class SparseInference final : public Inference {
 public:
  explicit SparseInference(const SparseLimits& limits) : limits_(limits) {}

  // Kernels are fitted to no more rows than the exact likelihood has room for.
  std::unique_ptr<Likelihood> likelihood(const Expression& kernel,
                                         const TrainingRows& rows) const override {
    return exact_inference().likelihood(kernel, rows);
  }
  double walk_bytes(std::size_t num_rows) const override {
    return exact_inference().walk_bytes(num_rows);
  }

  std::unique_ptr<const Posterior> posterior(const Expression& kernel,
                                             std::span<const double> parameters,
                                             const TrainingRows& rows,
                                             const LongWork& work) const override {
    SparseRows sparse_rows(kernel, parameters, rows,
                           support_rows(kernel, rows.inputs, num_support(rows.size())));
    std::optional<SparseSystem> system = make_sparse_system(sparse_rows, work);
    if (!system) return nullptr;
    const bool has_products = rows.size() <= limits_.rows_of_products;
    return std::make_unique<SparsePosterior>(std::move(sparse_rows), std::move(*system),
                                             has_products ? limits_.products : 0);
  }

  // Two matrices of the support, a third one or blocks of rows beside them, and columns of rows.
  double posterior_bytes(std::size_t num_rows) const override {
    constexpr double columns_of_blocks = 2.0 * 16.0 * SparseRows::block_rows;
    const auto m = static_cast<double>(num_support(num_rows));
    return kept_bytes(num_rows) + sizeof(double) * m * std::max(m, columns_of_blocks) +
           columns_bytes(num_rows);
  }
  double kept_bytes(std::size_t num_rows) const override {
    const auto m = static_cast<double>(num_support(num_rows));
    return 2.0 * sizeof(double) * m * m + columns_bytes(num_rows);
  }

  double posterior_seconds(std::size_t num_rows, std::size_t num_threads) const override {
    const std::size_t m = num_support(num_rows);
    // Covariances are computed in vectors, by many operations for each.
    constexpr double operations_of_covariance = 200.0;
    const double covariances = static_cast<double>(num_rows) * static_cast<double>(m);
    return operation_seconds(
        system_operations(num_rows, m) + operations_of_covariance * covariances, num_threads);
  }

 private:
  std::size_t num_support(std::size_t num_rows) const {
    if (num_rows <= limits_.rows_of_whole_support) return std::min(num_rows, limits_.support);
    // Half of it at ten times the rows.
    const double ratio =
        static_cast<double>(limits_.rows_of_whole_support) / static_cast<double>(num_rows);
    return static_cast<std::size_t>(static_cast<double>(limits_.support) *
                                    std::pow(ratio, std::log10(2.0)));
  }
  // Copies of the rows, and some numbers of each.
  static double columns_bytes(std::size_t num_rows) {
    constexpr double numbers = 32.0;
    return numbers * sizeof(double) * static_cast<double>(num_rows);
  }

  SparseLimits limits_;
};

}  // namespace

std::unique_ptr<const Inference> make_sparse_inference(const SparseLimits& limits) {
  return std::make_unique<SparseInference>(limits);
}

const Inference& sparse_inference() {
  static const SparseInference inference(SparseLimits{});
  return inference;
}

}  // namespace covary
