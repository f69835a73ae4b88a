// k(θ₁) + k(θ₂)  =  k(θ₁ + θ₂) on one input, for base kernels that are linear in their parameters.
#include <algorithm>

#include "expression/rules/rules.h"

namespace covary {

bool add_like_summands(Sketch& node) {
  if (node.kind != Sketch::Kind::sum) return false;
  for (auto first = node.parts.begin(); first != node.parts.end(); ++first) {
    if (!first->is_base_kernel() || !first->kernel().adds_up) continue;
    const auto second = std::find_if(first + 1, node.parts.end(), [&](const Sketch& part) {
      return part.is_base_kernel() && part.factor.kernel == first->factor.kernel;
    });
    if (second == node.parts.end()) continue;
    for (std::size_t i = 0; i < first->factor.parameters.size(); ++i) {
      first->factor.parameters[i] += second->factor.parameters[i];
    }
    add_origins(first->factor, second->factor);
    node.parts.erase(second);
    return true;
  }
  return false;
}

}  // namespace covary
