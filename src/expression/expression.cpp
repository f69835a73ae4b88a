#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include <covary/expression.h>

#include "expression/hashes.h"

namespace covary {

struct Expression::Node {
  BoundKernel kernel{nullptr, 0};  // of a leaf
  BoundOperator op{nullptr, 0};    // of an inner node, with its two operands
  std::optional<Expression> left;
  std::optional<Expression> right;

  std::size_t num_leaves = 1;
  std::size_t depth = 0;
  std::size_t num_parameters = 0;
  std::size_t num_inputs_needed = 0;
  std::uint64_t tree_hash = 0;
  PolynomialHash polynomial_hash{0, 0};
};

Expression::Expression(BoundKernel kernel) {
  if (!kernel.kernel->uses_input) kernel.column = 0;
  auto node = std::make_shared<Node>();
  node->kernel = kernel;
  node->num_parameters = kernel.kernel->parameters.size();
  node->num_inputs_needed = kernel.column + 1;
  node->tree_hash = hash_leaf(kernel);
  node->polynomial_hash = polynomial_variable(node->tree_hash);
  node_ = std::move(node);
}

Expression Expression::join(BoundOperator op, const Expression& left, const Expression& right) {
  if (left.num_leaves() + right.num_leaves() > max_leaves) {
    throw Error(ErrorKind::usage,
                fmt::format("a kernel expression has at most {} base kernels", max_leaves));
  }
  if (!op.op->acts_on_input) op.column = 0;
  auto node = std::make_shared<Node>();
  node->op = op;
  node->left = left;
  node->right = right;
  node->num_leaves = left.num_leaves() + right.num_leaves();
  node->depth = 1 + std::max(left.depth(), right.depth());
  node->num_parameters = op.op->parameters.size() + left.num_parameters() + right.num_parameters();
  node->num_inputs_needed = std::max(left.num_inputs_needed(), right.num_inputs_needed());
  if (op.op->acts_on_input) {
    node->num_inputs_needed = std::max(node->num_inputs_needed, op.column + 1);
  }
  node->tree_hash = hash_join(op, left.tree_hash(), right.tree_hash());
  node->polynomial_hash = polynomial_join(op, left.polynomial_hash(), right.polynomial_hash());
  return Expression(std::move(node));
}

bool Expression::is_leaf() const { return !node_->left.has_value(); }
const BoundKernel& Expression::base_kernel() const { return node_->kernel; }
const BoundOperator& Expression::op() const { return node_->op; }
const Expression& Expression::left() const { return *node_->left; }
const Expression& Expression::right() const { return *node_->right; }
std::size_t Expression::num_leaves() const { return node_->num_leaves; }
std::size_t Expression::depth() const { return node_->depth; }
std::size_t Expression::num_parameters() const { return node_->num_parameters; }
std::size_t Expression::num_inputs_needed() const { return node_->num_inputs_needed; }
std::uint64_t Expression::tree_hash() const { return node_->tree_hash; }
const Expression::PolynomialHash& Expression::polynomial_hash() const {
  return node_->polynomial_hash;
}

Expression operator+(const Expression& left, const Expression& right) {
  return Expression::join({&add_operator()}, left, right);
}

Expression operator*(const Expression& left, const Expression& right) {
  return Expression::join({&mult_operator()}, left, right);
}

Expression change_point(const Expression& before, const Expression& after, std::size_t column) {
  return Expression::join({&change_point_operator(), column}, before, after);
}

Expression subtree(const Expression& expression, std::size_t index) {
  const Expression* node = &expression;
  while (index > 0) {
    const std::size_t num_left = node->left().num_nodes();
    if (index <= num_left) {
      index -= 1;
      node = &node->left();
    } else {
      index -= 1 + num_left;
      node = &node->right();
    }
  }
  return *node;
}

Expression with_subtree(const Expression& expression, std::size_t index,
                        const Expression& replacement) {
  if (index == 0) return replacement;
  const std::size_t num_left = expression.left().num_nodes();
  if (index <= num_left) {
    return Expression::join(expression.op(),
                            with_subtree(expression.left(), index - 1, replacement),
                            expression.right());
  }
  return Expression::join(expression.op(), expression.left(),
                          with_subtree(expression.right(), index - 1 - num_left, replacement));
}

Expression with_periods(const Expression& expression, std::span<const double> years) {
  if (!expression.is_leaf()) {
    return Expression::join(expression.op(), with_periods(expression.left(), years),
                            with_periods(expression.right(), years));
  }
  BoundKernel bound = expression.base_kernel();
  if (bound.kernel->calendar_unit == CalendarUnit::none) return expression;
  const double year = bound.column < years.size() ? years[bound.column] : 0.0;
  if (!(year > 0.0)) {
    throw Error(ErrorKind::bad_data, fmt::format("{} needs a calendar, and input {} has none",
                                                 bound.kernel->name, bound.column + 1));
  }
  bound.period = year * in_years(bound.kernel->calendar_unit);
  return bound;
}

std::vector<BoundKernel> leaves(const Expression& expression) {
  std::vector<BoundKernel> found;
  found.reserve(expression.num_leaves());
  std::vector<const Expression*> open{&expression};
  while (!open.empty()) {
    const Expression* node = open.back();
    open.pop_back();
    if (node->is_leaf()) {
      found.push_back(node->base_kernel());
    } else {
      open.push_back(&node->right());
      open.push_back(&node->left());
    }
  }
  return found;
}

}  // namespace covary
