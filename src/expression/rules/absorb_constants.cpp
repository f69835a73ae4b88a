// c × k  =  k, c times as large: every base kernel has a size of its own.
#include <algorithm>

#include "expression/rules/rules.h"

namespace covary {
namespace {

// Makes a part larger by a constant factor; false if nothing in it has a size.
bool enlarge(Sketch& part, const Factor& constant) {
  if (part.is_base_kernel()) {
    const std::span<const Parameter> parameters = part.kernel().parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (is_variance(parameters[i].quantity)) part.factor.parameters[i] *= constant.parameters[0];
    }
    add_origins(part.factor, constant);
    return true;
  }
  bool is_larger = false;
  for (Sketch& inner : part.parts) {
    is_larger |= enlarge(inner, constant);
    if (is_larger && part.kind == Sketch::Kind::product) break;  // one factor is enough
  }
  return is_larger;
}

}  // namespace

bool absorb_constants(Sketch& node) {
  if (node.kind != Sketch::Kind::product) return false;
  const auto constant = std::find_if(node.parts.begin(), node.parts.end(),
                                     [](const Sketch& part) { return part.is_constant(); });
  if (constant == node.parts.end()) return false;
  for (auto part = node.parts.begin(); part != node.parts.end(); ++part) {
    if (part == constant || !enlarge(*part, constant->factor)) continue;
    node.parts.erase(constant);
    return true;
  }
  return false;
}

}  // namespace covary
