#include "expression/shortest_form.h"

#include <algorithm>
#include <utility>

#include "expression/rules/rules.h"

namespace covary {
namespace {

constexpr RewriteRule rules[] = {flatten,          merge_like_factors, whiten_factors,
                                 absorb_constants, add_like_summands,  absorb_constant_summands};

// White noise of its own is what every model has anyway. A kernel must be left, though.
void leave_noise_to_model(Sketch& root, double& noise_variance) {
  if (root.kind != Sketch::Kind::sum) return;
  const auto white = std::find_if(root.parts.begin(), root.parts.end(),
                                  [](const Sketch& part) { return part.is_white(); });
  if (white == root.parts.end()) return;
  noise_variance += white->factor.parameters[0];
  root.parts.erase(white);
  flatten(root);
}

struct Built {
  Expression expression;
  std::vector<double> parameters;
  std::string key;
};

void append(std::vector<double>& values, const std::vector<double>& more) {
  values.insert(values.end(), more.begin(), more.end());
}

Built built(Expression expression, std::vector<double> parameters) {
  std::string key = tree_key(expression);
  return {std::move(expression), std::move(parameters), std::move(key)};
}

// Operands that commute in the order of their keys; sums and products associate to the left.
Built build(const Sketch& node) {
  if (node.kind == Sketch::Kind::factor) {
    return built(Expression(node.factor.kernel), node.factor.parameters);
  }
  std::vector<Built> parts;
  for (const Sketch& part : node.parts) parts.push_back(build(part));
  const BoundOperator& op = node.factor.change;
  if (op.op->is_commutative) {
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Built& a, const Built& b) { return a.key < b.key; });
  }
  Expression joined = parts.front().expression;
  for (const Built& part : std::span(parts).subspan(1)) {
    joined = Expression::join(op, joined, part.expression);
  }
  std::vector<double> parameters = node.factor.parameters;  // of which sums and products have none
  for (const Built& part : parts) append(parameters, part.parameters);
  return built(std::move(joined), std::move(parameters));
}

}  // namespace

ValuedKernel shortest_form(const Expression& expression, std::span<const double> parameters,
                           double noise_variance) {
  std::size_t next = 0;
  Sketch root = sketch_of(expression, parameters, next);
  apply_until_done(rules, root);
  leave_noise_to_model(root, noise_variance);
  Built shortest = build(root);
  return {std::move(shortest.expression), std::move(shortest.parameters), noise_variance};
}

Expression shortest_form(const Expression& expression) {
  const std::vector<double> any(expression.num_parameters(), 1.0);
  return shortest_form(expression, any, 0.0).expression;
}

bool same_family(const Expression& a, const Expression& b) {
  return same_tree(shortest_form(a), shortest_form(b));
}

std::string family_key(const Expression& expression) { return tree_key(shortest_form(expression)); }

}  // namespace covary
