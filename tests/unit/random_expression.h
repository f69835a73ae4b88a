#pragma once

#include <cstddef>

#include <covary/expression.h>
#include <covary/random.h>

namespace covary {

// A random tree over the whole registry, drawn without the grammar so that it can test the grammar.
inline Expression random_expression(Random& random, std::size_t num_leaves,
                                    std::size_t num_inputs) {
  if (num_leaves == 1) {
    const auto kernels = all_base_kernels();
    return BoundKernel{kernels[random.index(kernels.size())], random.index(num_inputs)};
  }
  const std::size_t num_left = 1 + random.index(num_leaves - 1);
  const auto operators = all_operators();
  const BoundOperator op{operators[random.index(operators.size())], random.index(num_inputs)};
  const Expression left = random_expression(random, num_left, num_inputs);
  return Expression::join(op, left, random_expression(random, num_leaves - num_left, num_inputs));
}

}  // namespace covary
