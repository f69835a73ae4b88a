// CP(A, B)  =  (1 − s) A (1 − s') + s B s'  =  CP(A, 0) + CP(0, B).   Both sides keep the location
// and width of the one change.
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "expression/rules/rules.h"

namespace covary {

bool split_change_point(Sketch& node) {
  if (node.kind != Sketch::Kind::change) return false;
  if (node.factor.change.op != &change_point_operator()) {
    throw std::logic_error(fmt::format("operator {} has no rule for the sum of products",
                                       node.factor.change.op->name));
  }
  Sketch before{.kind = Sketch::Kind::factor, .factor = node.factor};
  Sketch after = before;
  before.factor.side = Factor::Side::before;
  after.factor.side = Factor::Side::after;
  Sketch first{.kind = Sketch::Kind::product};
  first.parts.push_back(std::move(before));
  first.parts.push_back(std::move(node.parts[0]));
  Sketch second{.kind = Sketch::Kind::product};
  second.parts.push_back(std::move(after));
  second.parts.push_back(std::move(node.parts[1]));
  Sketch sum{.kind = Sketch::Kind::sum};
  sum.parts.push_back(std::move(first));
  sum.parts.push_back(std::move(second));
  node = std::move(sum);
  return true;
}

}  // namespace covary
