#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <covary/expression.h>
#include <covary/random.h>

namespace covary {

// The base kernels that can act on any input of plain numbers, and so be fitted to data of them.
inline std::vector<const BaseKernel*> kernels_of_numbers() {
  std::vector<const BaseKernel*> found;
  for (const BaseKernel* kernel : all_base_kernels()) {
    const bool is_one =
        kernel->calendar_unit == CalendarUnit::none && kernel->acts_on == InputKind::number;
    if (is_one) found.push_back(kernel);
  }
  return found;
}

// A random tree of these kernels, drawn without the grammar so that it can test the grammar.
inline Expression random_expression(Random& random, std::size_t num_leaves, std::size_t num_inputs,
                                    std::span<const BaseKernel* const> kernels) {
  if (num_leaves == 1) {
    return BoundKernel{kernels[random.index(kernels.size())], random.index(num_inputs)};
  }
  const std::size_t num_left = 1 + random.index(num_leaves - 1);
  const auto operators = all_operators();
  const BoundOperator op{operators[random.index(operators.size())], random.index(num_inputs)};
  const Expression left = random_expression(random, num_left, num_inputs, kernels);
  return Expression::join(op, left,
                          random_expression(random, num_leaves - num_left, num_inputs, kernels));
}

inline Expression random_expression(Random& random, std::size_t num_leaves,
                                    std::size_t num_inputs) {
  return random_expression(random, num_leaves, num_inputs, kernels_of_numbers());
}

}  // namespace covary
