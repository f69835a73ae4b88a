// c + k  =  k with a larger constant, for base kernels that have one, as LIN does.
#include <algorithm>

#include "expression/rules/rules.h"

namespace covary {

bool absorb_constant_summands(Sketch& node) {
  if (node.kind != Sketch::Kind::sum) return false;
  const auto constant = std::find_if(node.parts.begin(), node.parts.end(),
                                     [](const Sketch& part) { return part.is_constant(); });
  if (constant == node.parts.end()) return false;
  for (auto part = node.parts.begin(); part != node.parts.end(); ++part) {
    if (part == constant || !part->is_base_kernel() || !part->kernel().constant_place) continue;
    part->factor.parameters[*part->kernel().constant_place] += constant->factor.parameters[0];
    add_origins(part->factor, constant->factor);
    node.parts.erase(constant);
    return true;
  }
  return false;
}

}  // namespace covary
