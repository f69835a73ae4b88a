#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <covary/expression.h>

#include "linalg/matrix.h"

namespace covary {

// A growing list of kernels that any other kernel can be measured against. A distance may have
// several parts, which a surrogate weighs.
class DistanceSet {
 public:
  DistanceSet() = default;
  DistanceSet(const DistanceSet&) = delete;
  DistanceSet& operator=(const DistanceSet&) = delete;
  DistanceSet(DistanceSet&&) = delete;
  DistanceSet& operator=(DistanceSet&&) = delete;
  virtual ~DistanceSet() = default;

  virtual std::size_t num_parts() const = 0;
  virtual std::size_t size() const = 0;
  virtual void add(const Expression& kernel) = 0;
  virtual void truncate(std::size_t size) = 0;  // forgets those added last

  // One matrix a part: row i is the i-th kernel of the list, column j is kernels[j].
  virtual std::vector<Matrix> distances(std::span<const Expression> kernels) const = 0;
};

}  // namespace covary
