#pragma once

#include <vector>

#include <covary/expression.h>
#include <covary/random.h>

#include "covariance/parameter_space.h"

namespace covary {

// Of the kernel alone, from the middle of their priors.
inline std::vector<double> random_parameters(const Expression& expression, Random& random) {
  const ParameterSpace space(expression);
  std::vector<double> values;
  for (std::size_t i = 0; i + 1 < space.size(); ++i) {
    values.push_back(quantile(space[i].parameter.prior, 0.1 + 0.8 * random.uniform()));
  }
  return values;
}

}  // namespace covary
