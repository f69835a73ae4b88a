#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <covary/expression.h>
#include <covary/long_work.h>

#include "gp/posterior.h"
#include "inference/likelihood.h"

namespace covary {

// What a sparse posterior predicts by, beside the kernel and the rows of its support: all that has
// to be kept of it. With the names of sparse_system.h.
struct SparseState {
  std::size_t num_rows = 0;  // that it was conditioned on
  double jitter = 0.0;
  Posterior::Interval log_marginal_likelihood;
  std::vector<double> image;
  std::vector<double> triangle;  // of R, column by column, each from the diagonal on
};

// REQUIRES: the posterior is not exact.
SparseState state_of(const Posterior& posterior);

// The posterior again, without a pass over the rows: L follows from the support. Null where the
// state is none of such a support, or L cannot be had with its jitter. Throws WorkStopped.
std::unique_ptr<const Posterior> restored_posterior(const Expression& kernel,
                                                    std::span<const double> parameters,
                                                    const TrainingRows& support,
                                                    const SparseState& state, const LongWork& work);

constexpr std::size_t triangle_size(std::size_t num_rows) { return num_rows * (num_rows + 1) / 2; }

}  // namespace covary
