// A + (B + C)  =  A + B + C,   A × (B × C)  =  A × B × C;   a sum or product of one part is that
// part.
#include <iterator>
#include <utility>

#include "expression/rules/rules.h"

namespace covary {

bool flatten(Sketch& node) {
  if (node.kind != Sketch::Kind::sum && node.kind != Sketch::Kind::product) return false;
  if (node.parts.size() == 1) {
    node = Sketch(std::move(node.parts.front()));
    return true;
  }
  bool changed = false;
  std::vector<Sketch> parts;
  for (Sketch& part : node.parts) {
    if (part.kind == node.kind) {
      std::move(part.parts.begin(), part.parts.end(), std::back_inserter(parts));
      changed = true;
    } else {
      parts.push_back(std::move(part));
    }
  }
  node.parts = std::move(parts);
  return changed;
}

}  // namespace covary
