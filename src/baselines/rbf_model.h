#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <covary/dataset.h>
#include <covary/evidence.h>
#include <covary/model.h>

namespace covary {

struct RbfOptions {
  Laplace convention = Laplace::consistent;  // whether the maximum is that of the free parameters
  std::size_t restarts = 10;                 // starts drawn from the priors
  std::size_t max_iterations = 1000;         // of one start
  std::uint64_t seed = 1;
};

struct RbfFit {
  FittedModel model;  // the product SE_1 * ... * SE_d with one variance that is not 1
  double log_posterior = 0.0;
};

// The model without structure: a squared exponential with one variance and a lengthscale per input,
// at the maximum of its posterior. Nothing if interrupted, or if no start has a posterior density.
std::optional<RbfFit> fit_rbf(const Dataset& data, const RbfOptions& options,
                              const std::atomic<bool>* interrupted = nullptr);

}  // namespace covary
