#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "device/api.h"
#include "device/formulas.h"

// A program as it is walked through: what is wanted of a node stands beside it.

namespace covary::device {

struct NodeStep {
  std::int32_t function;
  std::int32_t left;  // positions of operands
  std::int32_t right;
  std::int32_t feature;    // the first of its arrays of features
  std::int32_t parameter;  // the first of its own
  std::int32_t depth;      // on a stack, where only the root's value is wanted
  std::int32_t value;      // where its value stands if all are kept
  std::int32_t adjoint;    // likewise; an operator's takes the place of its value
  std::int32_t column;
  std::int32_t unused;
  double period;
};

struct Steps {
  std::vector<NodeStep> nodes;
  std::int32_t num_parameters = 0;
  std::int32_t num_features = 0;
  std::int32_t num_places = 0;  // of values and adjoints
  std::int32_t max_depth = 0;
};

inline Steps steps_of(const Program& program) {
  Steps steps;
  steps.num_parameters = static_cast<std::int32_t>(program.num_parameters);
  std::int32_t depth = 0;
  for (std::size_t n = 0; n < program.num_nodes; ++n) {
    const Node& node = program.nodes[n];
    const Shape shape = shape_of(node.function);
    NodeStep step{};
    step.function = node.function;
    step.left = node.left;
    step.right = node.right;
    step.feature = steps.num_features;
    step.parameter = node.first_parameter;
    step.column = node.column;
    step.period = node.period;
    if (shape.is_operator) depth -= 2;
    step.depth = depth++;
    step.value = steps.num_places++;
    step.adjoint = shape.is_operator ? step.value : steps.num_places++;
    steps.num_features += shape.num_features;
    steps.max_depth = std::max(steps.max_depth, depth);
    steps.nodes.push_back(step);
  }
  return steps;
}

}  // namespace covary::device
