// B × A  =  A × B: base kernels by input and name, those that use none last, then sides of change
// points from the outermost.
#include <algorithm>
#include <tuple>

#include "expression/rules/rules.h"

namespace covary {
namespace {

auto key_of(const Factor& factor) {
  const bool is_base = factor.is_base_kernel();
  return std::tuple(is_base ? 0 : 1, factor.uses_input() ? 0 : 1,
                    is_base ? factor.kernel.column : 0,
                    is_base ? factor.kernel.kernel->name : std::string_view(), factor.origins);
}

bool is_before(const Sketch& a, const Sketch& b) {
  if (a.kind != Sketch::Kind::factor || b.kind != Sketch::Kind::factor) return false;
  return key_of(a.factor) < key_of(b.factor);
}

}  // namespace

bool sort_factors(Sketch& node) {
  if (node.kind != Sketch::Kind::product) return false;
  if (std::is_sorted(node.parts.begin(), node.parts.end(), is_before)) return false;
  // Only products of factors alone; others are rewritten first, and seen again.
  if (std::any_of(node.parts.begin(), node.parts.end(),
                  [](const Sketch& part) { return part.kind != Sketch::Kind::factor; })) {
    return false;
  }
  std::stable_sort(node.parts.begin(), node.parts.end(), is_before);
  return true;
}

}  // namespace covary
