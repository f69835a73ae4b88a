#include <utility>

#include "base/checkpoint.h"
#include "gp/dense_posterior.h"
#include "inference/exact/exact_likelihood.h"
#include "inference/inference.h"
#include "linalg/cholesky.h"
#include "linalg/large_factor.h"

namespace covary {
namespace {

class ExactInference final : public Inference {
 public:
  std::unique_ptr<Likelihood> likelihood(const Expression& kernel, const TrainingRows& rows,
                                         const LongWork& work) const override {
    return std::make_unique<ExactLikelihood>(kernel, rows, work);
  }

  std::unique_ptr<const Posterior> posterior(const Expression& kernel,
                                             std::span<const double> parameters,
                                             const TrainingRows& rows,
                                             const LongWork& work) const override {
    const CompiledKernel compiled(kernel);
    Matrix factor(rows.size(), rows.size());
    const auto factored = [&] {
      if (rows.size() <= many_rows) {
        return cholesky(factor, [&](Matrix& matrix) {
          fill_covariance(compiled, parameters, rows, parameters.back(), matrix);
        });
      }
      const double filled = share_of_filling(rows.size());
      return large_cholesky(
          factor,
          [&](Matrix& matrix) {
            fill_large_covariance(compiled, parameters, rows, parameters.back(), matrix,
                                  part_of(work, 0.0, filled));
          },
          part_of(work, filled, 1.0));
    };
    const CholeskyOutcome outcome = factored();
    if (!outcome.succeeded) return nullptr;
    return std::make_unique<DensePosterior>(std::move(factor), rows.target, outcome.jitter);
  }

  // A matrix that is factored and inverted in place. Beside it, of few rows, the triangles of base
  // kernels; of many, products with the derivatives by some sixty parameters, in parts.
  double walk_bytes(std::size_t num_rows) const override {
    constexpr double bytes_of_products = 16.0 * 60.0 * sizeof(double);  // a row
    if (num_rows > many_rows) {
      return matrix_bytes(num_rows) + bytes_of_products * static_cast<double>(num_rows);
    }
    const double kept = 0.5 * static_cast<double>(CompiledKernel::max_kept(num_rows));
    return (1.0 + kept) * matrix_bytes(num_rows);
  }

  // The factor; of few rows also an inverse while its triangle is taken over.
  double posterior_bytes(std::size_t num_rows) const override {
    return (num_rows <= many_rows ? 2.0 : 1.0) * matrix_bytes(num_rows);
  }

  double kept_bytes(std::size_t num_rows) const override { return matrix_bytes(num_rows); }

  double posterior_seconds(std::size_t num_rows, std::size_t num_threads) const override {
    const double factor = factor_seconds(num_rows, num_rows <= many_rows ? 1 : num_threads);
    return factor / (1.0 - share_of_filling(num_rows));
  }

 private:
  // Of the time: covariances take n² steps and the factor n³.
  static double share_of_filling(std::size_t num_rows) {
    constexpr double rows_of_half = 600.0;
    return rows_of_half / (rows_of_half + static_cast<double>(num_rows));
  }
  static double matrix_bytes(std::size_t num_rows) {
    return sizeof(double) * static_cast<double>(num_rows) * static_cast<double>(num_rows);
  }
};

}  // namespace

const Inference& exact_inference() {
  static const ExactInference inference;
  return inference;
}

}  // namespace covary
