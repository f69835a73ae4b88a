// k(θ₁) × k(θ₂)  =  k(θ) on one input, for base kernels that know such a θ, as SE does.
#include <algorithm>

#include "expression/rules/rules.h"

namespace covary {
namespace {

bool can_merge(const Sketch& part) {
  return part.is_base_kernel() && part.kernel().merge != nullptr;
}

void merge(Factor& kept, const Factor& other) {
  kept.kernel.kernel->merge(kept.parameters, other.parameters);
  add_origins(kept, other);
}

}  // namespace

bool merge_like_factors(Sketch& node) {
  if (node.kind != Sketch::Kind::product) return false;
  for (auto first = node.parts.begin(); first != node.parts.end(); ++first) {
    if (!can_merge(*first)) continue;
    const auto second = std::find_if(first + 1, node.parts.end(), [&](const Sketch& part) {
      return can_merge(part) && part.factor.kernel == first->factor.kernel;
    });
    if (second == node.parts.end()) continue;
    merge(first->factor, second->factor);
    node.parts.erase(second);
    return true;
  }
  return false;
}

}  // namespace covary
