#pragma once

#include <cstddef>

#include <covary/long_work.h>

#include "gp/posterior.h"
#include "inference/sparse/sparse_system.h"

namespace covary {

// Where log p(y) of the exact model lies, by its approximation (docs/math/sparse.md). With
// `num_products` products of all covariances with a vector, n² / 2 covariances each, the quadratic
// term is bounded by conjugate gradients from both sides; with none, by the trace.
Posterior::Interval evidence_interval(const SparseRows& rows, const SparseSystem& system,
                                      std::size_t num_products, const LongWork& work);

}  // namespace covary
