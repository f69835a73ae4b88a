#include <utility>

#include "gp/dense_posterior.h"
#include "inference/exact/exact_likelihood.h"
#include "inference/inference.h"
#include "linalg/cholesky.h"

namespace covary {
namespace {

class ExactInference final : public Inference {
 public:
  std::unique_ptr<Likelihood> likelihood(const Expression& kernel,
                                         const TrainingRows& rows) const override {
    return std::make_unique<ExactLikelihood>(kernel, rows);
  }

  std::unique_ptr<const Posterior> posterior(const Expression& kernel,
                                             std::span<const double> parameters,
                                             const TrainingRows& rows) const override {
    const CompiledKernel compiled(kernel);
    Matrix factor(rows.size(), rows.size());
    const CholeskyOutcome outcome = cholesky(factor, [&](Matrix& matrix) {
      fill_covariance(compiled, parameters, rows, parameters.back(), matrix);
    });
    if (!outcome.succeeded) return nullptr;
    return std::make_unique<DensePosterior>(std::move(factor), rows.target, outcome.jitter);
  }

  // A matrix that is factored and inverted in place, and the triangles of base kernels beside it.
  double walk_bytes(std::size_t num_rows) const override {
    const double kept = 0.5 * static_cast<double>(CompiledKernel::max_kept(num_rows));
    return (1.0 + kept) * matrix_bytes(num_rows);
  }

  // The factor, and an inverse while its triangle is taken over.
  double posterior_bytes(std::size_t num_rows) const override {
    return 2.0 * matrix_bytes(num_rows);
  }

 private:
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
