#include "inference/exact/exact_likelihood.h"
#include "inference/inference.h"

namespace covary {
namespace {

class ExactInference final : public Inference {
 public:
  std::unique_ptr<Likelihood> likelihood(const Expression& kernel,
                                         const TrainingRows& rows) const override {
    return std::make_unique<ExactLikelihood>(kernel, rows);
  }
};

}  // namespace

const Inference& exact_inference() {
  static const ExactInference inference;
  return inference;
}

}  // namespace covary
