// σ₁² SE(ℓ₁) × σ₂² SE(ℓ₂)  =  σ₁²σ₂² SE(ℓ) on one input, with 1/ℓ² = 1/ℓ₁² + 1/ℓ₂².
#include <algorithm>
#include <cmath>

#include "expression/rules/rules.h"
#include "kernels/registry.h"

namespace covary {
namespace {

constexpr std::size_t length = 0;  // places among the parameters of SE
constexpr std::size_t variance = 1;

bool is_squared_exponential(const Sketch& part) {
  return part.kind == Sketch::Kind::factor && part.factor.is_base_kernel() &&
         part.factor.kernel.kernel == &registry::squared_exponential;
}

void merge(Factor& kept, const Factor& other) {
  // The hypotenuse does not overflow where a square would.
  kept.parameters[length] =
      1.0 / std::hypot(1.0 / kept.parameters[length], 1.0 / other.parameters[length]);
  kept.parameters[variance] *= other.parameters[variance];
  kept.origins.insert(kept.origins.end(), other.origins.begin(), other.origins.end());
  std::sort(kept.origins.begin(), kept.origins.end());
}

}  // namespace

bool merge_squared_exponentials(Sketch& node) {
  if (node.kind != Sketch::Kind::product) return false;
  for (auto first = node.parts.begin(); first != node.parts.end(); ++first) {
    if (!is_squared_exponential(*first)) continue;
    const auto second = std::find_if(first + 1, node.parts.end(), [&](const Sketch& part) {
      return is_squared_exponential(part) && part.factor.kernel == first->factor.kernel;
    });
    if (second == node.parts.end()) continue;
    merge(first->factor, second->factor);
    node.parts.erase(second);
    return true;
  }
  return false;
}

}  // namespace covary
