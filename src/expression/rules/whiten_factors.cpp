// w × k(x, x')  =  w × k(x, x) for white w, which knows a row and itself only: beside it a
// stationary kernel is a constant, and so is other white noise.
#include <algorithm>

#include "expression/rules/rules.h"

namespace covary {
namespace {

// The size of a stationary kernel is all that is left of it: its value at x = x'.
bool flatten_stationary(Sketch& part) {
  if (!part.is_base_kernel()) {
    bool changed = false;
    for (Sketch& inner : part.parts) changed |= flatten_stationary(inner);
    return changed;
  }
  if (!part.kernel().is_stationary || part.is_constant()) return false;
  const bool is_sum = part.kernel().adds_up;  // of its variances, which else has only one
  double size = is_sum ? 0.0 : 1.0;
  const std::span<const Parameter> parameters = part.kernel().parameters;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (!is_variance(parameters[i].quantity)) continue;
    size = is_sum ? size + part.factor.parameters[i] : size * part.factor.parameters[i];
  }
  part.factor.kernel = {&constant_kernel(), 0};
  part.factor.parameters = {size};
  return true;
}

}  // namespace

bool whiten_factors(Sketch& node) {
  if (node.kind != Sketch::Kind::product) return false;
  const auto white = std::find_if(node.parts.begin(), node.parts.end(),
                                  [](const Sketch& part) { return part.is_white(); });
  if (white == node.parts.end()) return false;
  bool changed = false;
  for (auto part = node.parts.begin(); part != node.parts.end(); ++part) {
    if (part != white) changed |= flatten_stationary(*part);
  }
  return changed;
}

}  // namespace covary
