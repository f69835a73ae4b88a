// k(θ₁) × k(θ₂)  =  k(θ) on one input, for base kernels that know such a θ, as SE does.
#include <algorithm>

#include "expression/rules/rules.h"

namespace covary {
namespace {

bool can_merge(const Sketch& part) {
  return part.kind == Sketch::Kind::factor && part.factor.is_base_kernel() &&
         part.factor.kernel.kernel->merge != nullptr;
}

void merge(Factor& kept, const Factor& other) {
  kept.kernel.kernel->merge(kept.parameters, other.parameters);
  kept.origins.insert(kept.origins.end(), other.origins.begin(), other.origins.end());
  std::sort(kept.origins.begin(), kept.origins.end());
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
