#pragma once

#include <atomic>
#include <cstddef>
#include <vector>

#include <covary/dataset.h>
#include <covary/evidence.h>
#include <covary/grammar.h>

namespace covary {

struct TransformChoice {
  TargetTransform transform = TargetTransform::none;
  std::size_t num_evaluations = 0;  // that it took
};

// The transform of the target under which the best of the probe kernels has the largest criterion,
// so that a search need not evaluate every kernel under each. A function of data and options alone.
// Without a transform that suits the target, or when interrupted, it is none.
TransformChoice choose_transform(const Dataset& data, const SearchSpace& space,
                                 const EvidenceOptions& options, std::size_t num_threads,
                                 const std::atomic<bool>* interrupted);

}  // namespace covary
