#include <algorithm>
#include <utility>

#include "expression/rules/rules.h"

namespace covary {
namespace {

// Once over the tree, the parts of a node before it.
bool apply_everywhere(RewriteRule rule, Sketch& node) {
  bool changed = false;
  for (Sketch& part : node.parts) changed |= apply_everywhere(rule, part);
  return rule(node) || changed;
}

}  // namespace

Sketch sketch_of(const Expression& expression, std::span<const double> parameters,
                 std::size_t& next) {
  Sketch node;
  const bool is_leaf = expression.is_leaf();
  const std::size_t num_own = is_leaf ? expression.base_kernel().kernel->parameters.size()
                                      : expression.op().op->parameters.size();
  const std::span<const double> own = parameters.subspan(next, num_own);
  node.factor.parameters.assign(own.begin(), own.end());
  node.factor.origins = {next};
  next += num_own;
  if (is_leaf) {
    node.factor.kernel = expression.base_kernel();
    return node;
  }
  node.factor.change = expression.op();
  switch (expression.op().op->algebra) {
    case Algebra::sum:
      node.kind = Sketch::Kind::sum;
      break;
    case Algebra::product:
      node.kind = Sketch::Kind::product;
      break;
    case Algebra::none:
      node.kind = Sketch::Kind::change;
      break;
  }
  node.parts.push_back(sketch_of(expression.left(), parameters, next));
  node.parts.push_back(sketch_of(expression.right(), parameters, next));
  return node;
}

void apply_until_done(std::span<const RewriteRule> rules, Sketch& root) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (const RewriteRule rule : rules) changed |= apply_everywhere(rule, root);
  }
}

void add_origins(Factor& kept, const Factor& other) {
  kept.origins.insert(kept.origins.end(), other.origins.begin(), other.origins.end());
  std::sort(kept.origins.begin(), kept.origins.end());
}

}  // namespace covary
