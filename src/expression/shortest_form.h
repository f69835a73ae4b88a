#pragma once

#include <span>
#include <vector>

#include <covary/expression.h>

namespace covary {

// A kernel with parameter values, and the noise variance that goes with it.
struct ValuedKernel {
  Expression expression;
  std::vector<double> parameters;  // without the noise
  double noise_variance = 0.0;
};

// shortest_form() with values that make it the same model: the same covariance of any rows, noise
// included.
ValuedKernel shortest_form(const Expression& expression, std::span<const double> parameters,
                           double noise_variance);

}  // namespace covary
