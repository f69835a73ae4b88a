#include "inference/sparse/sparse_inference.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/checkpoint.h"
#include "inference/sparse/evidence_interval.h"
#include "inference/sparse/sparse_posterior.h"
#include "inference/sparse/support_rows.h"
#include "linalg/large_factor.h"

namespace covary {
namespace {

class SparseInference final : public Inference {
 public:
  explicit SparseInference(const SparseLimits& limits) : limits_(limits) {}

  // Kernels are fitted to no more rows than the exact likelihood has room for.
  std::unique_ptr<Likelihood> likelihood(const Expression& kernel, const TrainingRows& rows,
                                         const LongWork& work) const override {
    return exact_inference().likelihood(kernel, rows, work);
  }
  double walk_bytes(std::size_t num_rows) const override {
    return exact_inference().walk_bytes(num_rows);
  }

  std::unique_ptr<const Posterior> posterior(const Expression& kernel,
                                             std::span<const double> parameters,
                                             const TrainingRows& rows,
                                             const LongWork& work) const override {
    SparseRows sparse_rows(
        kernel, parameters, rows, support_rows(rows.inputs, num_support(rows.size())),
        rows.inputs.size() == 1 ? limits_.along_one_input : limits_.of_several_inputs);
    const double begun = conditioning_operations(rows.size()) / posterior_operations(rows.size());
    std::optional<SparseSystem> system = make_sparse_system(sparse_rows, part_of(work, 0.0, begun));
    if (!system) return nullptr;
    const Posterior::Interval interval = evidence_interval(
        sparse_rows, *system, num_products(rows.size()), part_of(work, begun, 1.0));
    system->noise_alone.reset();
    return std::make_unique<SparsePosterior>(std::move(sparse_rows), std::move(*system), interval);
  }

  std::size_t num_support(std::size_t num_rows) const override {
    if (num_rows <= limits_.rows_of_whole_support) return std::min(num_rows, limits_.support);
    // So that ten times the rows take twice the time or less.
    constexpr double power = 0.4;
    const double ratio =
        static_cast<double>(limits_.rows_of_whole_support) / static_cast<double>(num_rows);
    return static_cast<std::size_t>(static_cast<double>(limits_.support) * std::pow(ratio, power));
  }

  // Two matrices of the support and one for the interval, another one or blocks of rows beside
  // them, and columns of rows.
  double posterior_bytes(std::size_t num_rows) const override {
    constexpr double columns_of_blocks = 3.0 * 16.0 * SparseRows::block_rows;
    const auto m = static_cast<double>(num_support(num_rows));
    return kept_bytes(num_rows) + sizeof(double) * m * (m + std::max(m, columns_of_blocks)) +
           columns_bytes(num_rows);
  }
  double kept_bytes(std::size_t num_rows) const override {
    const auto m = static_cast<double>(num_support(num_rows));
    return 2.0 * sizeof(double) * m * m + columns_bytes(num_rows);
  }

  double posterior_seconds(std::size_t num_rows, std::size_t num_threads) const override {
    return operation_seconds(posterior_operations(num_rows), num_threads);
  }

 private:
  // Covariances are computed in vectors, by many operations for each.
  static constexpr double operations_of_covariance = 300.0;

  // At the most: of one input, with what neighbours have in common.
  double conditioning_operations(std::size_t num_rows) const {
    const std::size_t m = num_support(num_rows);
    return system_operations(num_rows, m, OwnPart::stretches) +
           operations_of_covariance * static_cast<double>(num_rows) * static_cast<double>(m);
  }
  // With those of the interval: of each product, and of one solution more than there are products.
  double posterior_operations(std::size_t num_rows) const {
    const auto n = static_cast<double>(num_rows);
    const auto m = static_cast<double>(num_support(num_rows));
    const auto products = static_cast<double>(num_products(num_rows));
    double covariances = 0.5 * products * n * n;
    if (products > 0.0) covariances += 2.0 * (products + 1.0) * n * m;
    return conditioning_operations(num_rows) + m * m * m / 3.0 +
           operations_of_covariance * covariances;
  }
  std::size_t num_products(std::size_t num_rows) const {
    const double ratio =
        static_cast<double>(limits_.rows_of_products) / static_cast<double>(num_rows);
    return static_cast<std::size_t>(
        std::min(std::floor(ratio * ratio), static_cast<double>(limits_.products)));
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
