#pragma once

#include <covary/kernels.h>

// The registry: a base kernel or an operator is its own file and one line here.
#define COVARY_BASE_KERNELS(kernel)                                                           \
  kernel(squared_exponential) kernel(linear) kernel(periodic) kernel(rational_quadratic)      \
      kernel(matern32) kernel(matern52) kernel(matern12) kernel(random_walk) kernel(constant) \
          kernel(white_noise) kernel(yearly) kernel(weekly) kernel(daily) kernel(category)    \
              kernel(alike)

#define COVARY_OPERATORS(op) op(add) op(mult) op(change_point)

namespace covary::registry {

#define COVARY_DECLARE(name) extern const BaseKernel name;
COVARY_BASE_KERNELS(COVARY_DECLARE)
#undef COVARY_DECLARE
#define COVARY_DECLARE(name) extern const Operator name;
COVARY_OPERATORS(COVARY_DECLARE)
#undef COVARY_DECLARE

}  // namespace covary::registry
