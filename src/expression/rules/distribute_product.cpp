// (A + B) × C  =  A × C + B × C.   Both copies of C keep one shared set of parameters.
#include <algorithm>
#include <utility>

#include "expression/rules/rules.h"

namespace covary {

bool distribute_product(Sketch& node) {
  if (node.kind != Sketch::Kind::product) return false;
  const auto at = std::find_if(node.parts.begin(), node.parts.end(),
                               [](const Sketch& part) { return part.kind == Sketch::Kind::sum; });
  if (at == node.parts.end()) return false;
  const Sketch sum = std::move(*at);
  node.parts.erase(at);
  Sketch expanded{.kind = Sketch::Kind::sum};
  for (const Sketch& summand : sum.parts) {
    Sketch product = node;
    product.parts.push_back(summand);
    expanded.parts.push_back(std::move(product));
  }
  node = std::move(expanded);
  return true;
}

}  // namespace covary
