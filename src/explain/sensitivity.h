#pragma once

#include <vector>

#include <covary/random.h>

#include "explain/component_algebra.h"

namespace covary {

// Shares of the variance of the posterior mean over the training inputs (Sobol indices), the inputs
// taken as independent of each other: by this input alone, and with all its interactions.
struct Sensitivity {
  bool is_used = false;  // by the kernel
  double first_order = 0.0;
  double total = 0.0;
};

std::vector<Sensitivity> sensitivities(const ComponentAlgebra& algebra, Random& random);

}  // namespace covary
