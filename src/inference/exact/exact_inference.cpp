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
};

}  // namespace

const Inference& exact_inference() {
  static const ExactInference inference;
  return inference;
}

}  // namespace covary
