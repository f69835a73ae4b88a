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

// A few kernels of the space that can follow most data, one of them roughly right: enough to see
// what a transform does, though not to explain anything.
std::vector<Expression> probe_kernels(const SearchSpace& space);

// What people would say first about such inputs: a trend with a season that changes slowly, say, or
// one function of all inputs. The probes are among them.
std::vector<Expression> first_sentences(const SearchSpace& space);

// The transform of the target under which the best of the probe kernels has the largest criterion,
// so that a search need not evaluate every kernel under each. A function of data and options alone.
// Without a transform that suits the target, or when interrupted, it is none.
TransformChoice choose_transform(const Dataset& data, const SearchSpace& space,
                                 const EvidenceOptions& options, std::size_t num_threads,
                                 const std::atomic<bool>* interrupted);

}  // namespace covary
