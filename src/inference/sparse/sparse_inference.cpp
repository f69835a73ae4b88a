#include "inference/sparse/sparse_inference.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/checkpoint.h"
#include "inference/sparse/evidence_interval.h"
#include "inference/sparse/sparse_posterior.h"
#include "inference/sparse/support_rows.h"
#include "inference/state_space/state_space_evidence.h"
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
    const bool is_series = rows.inputs.size() == 1;
    const double whole = posterior_operations(rows.size());
    const double spared = 1.0 - conditioning_operations(rows.size(), 1) / whole;
    std::optional<Posterior::Interval> interval;
    if (is_series && limits_.evidence_by_state_space) {
      interval = evidence_by_state_space(kernel, parameters, rows, spared * whole,
                                         part_of(work, 0.0, spared));
    }
    SparseRows sparse_rows(kernel, parameters, rows,
                           support_rows(rows.inputs, num_support(rows.size())),
                           is_series ? limits_.along_one_input : limits_.of_several_inputs);
    const bool is_known = interval.has_value();
    const double begun = is_known ? spared : 0.0;
    const double ended = is_known ? 1.0 : conditioning_operations(rows.size(), 2) / whole;
    std::optional<SparseSystem> system =
        make_sparse_system(sparse_rows, !is_known, part_of(work, begun, ended));
    if (!system) return nullptr;
    if (!is_known) {
      interval = evidence_interval(sparse_rows, *system, num_products(rows.size()),
                                   part_of(work, ended, 1.0));
    }
    system->noise_alone.reset();
    return std::make_unique<SparsePosterior>(std::move(sparse_rows), std::move(*system), *interval);
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
  // Nothing where it would take more operations than so many.
  static std::optional<Posterior::Interval> evidence_by_state_space(
      const Expression& kernel, std::span<const double> parameters, const TrainingRows& rows,
      double operations, const LongWork& work) {
    const auto model = state_space_model(kernel, parameters, rows, {.operations = operations});
    return model ? state_space_evidence(*model, rows, work) : std::nullopt;
  }

  // Covariances are computed in vectors, by many operations for each.
  static constexpr double operations_of_covariance = 300.0;

  // With two systems what neighbours along one input have in common, and what bounds the evidence.
  double conditioning_operations(std::size_t num_rows, std::size_t num_systems) const {
    const std::size_t m = num_support(num_rows);
    return system_operations(num_rows, m, num_systems) +
           operations_of_covariance * static_cast<double>(num_rows) * static_cast<double>(m);
  }
  // With those of the interval: of each product, and of one solution more than there are products.
  double posterior_operations(std::size_t num_rows) const {
    const auto n = static_cast<double>(num_rows);
    const auto m = static_cast<double>(num_support(num_rows));
    const auto products = static_cast<double>(num_products(num_rows));
    double covariances = 0.5 * products * n * n;
    if (products > 0.0) covariances += 2.0 * (products + 1.0) * n * m;
    return conditioning_operations(num_rows, 2) + m * m * m / 3.0 +
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
