#pragma once

#include <memory>

#include "inference/inference.h"

namespace covary {

// A way of inference for tests of fits: it has likelihoods, and no posterior.
class LikelihoodsAlone : public Inference {
 public:
  std::unique_ptr<const Posterior> posterior(const Expression& /*kernel*/,
                                             std::span<const double> /*parameters*/,
                                             const TrainingRows& /*rows*/,
                                             const LongWork& /*work*/) const override {
    return nullptr;
  }
  double walk_bytes(std::size_t /*num_rows*/) const override { return 0.0; }
  double posterior_bytes(std::size_t /*num_rows*/) const override { return 0.0; }
  double kept_bytes(std::size_t /*num_rows*/) const override { return 0.0; }
  double posterior_seconds(std::size_t /*num_rows*/, std::size_t /*num_threads*/) const override {
    return 0.0;
  }
};

}  // namespace covary
