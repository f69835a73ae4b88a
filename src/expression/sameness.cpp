#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <covary/expression.h>

namespace covary {
namespace {

// Keys name inputs by number, whatever their names.
std::string numbered(std::string_view symbol, std::size_t column) {
  return fmt::format("{}_{}", symbol, column + 1);
}

std::string call(const BoundOperator& op, std::string_view left, std::string_view right) {
  if (op.op->acts_on_input) {
    return fmt::format("{}({},{})", numbered(op.op->symbol, op.column), left, right);
  }
  if (op.op->is_infix) return fmt::format("({}{}{})", left, op.op->symbol, right);
  return fmt::format("{}({},{})", op.op->symbol, left, right);
}

// A sum of products: each product's sorted factors, with how often the product occurs.
using Polynomial = std::map<std::vector<std::string>, std::uint64_t>;

constexpr double max_terms = 100'000;

// The number of products before like ones are collected; bounds all coefficients too.
double num_terms(const Expression& expression) {
  if (expression.is_leaf()) return 1;
  const double left = num_terms(expression.left());
  const double right = num_terms(expression.right());
  switch (expression.op().op->algebra) {
    case Algebra::sum:
      return left + right;
    case Algebra::product:
      return left * right;
    case Algebra::none:
      break;
  }
  return 1;
}

// The largest expansion anywhere inside, operands of CP included.
double max_num_terms(const Expression& expression) {
  if (expression.is_leaf()) return 1;
  return std::max(
      {num_terms(expression), max_num_terms(expression.left()), max_num_terms(expression.right())});
}

std::string key_of(const Polynomial& polynomial) {
  std::string key;
  for (const auto& [factors, count] : polynomial) {
    if (!key.empty()) key += '+';
    if (count > 1) key += fmt::format("{} ", count);
    key += fmt::format("{}", fmt::join(factors, "*"));
  }
  return key;
}

Polynomial expand(const Expression& expression) {
  if (expression.is_leaf()) {
    const BoundKernel& leaf = expression.base_kernel();
    return {{{numbered(leaf.kernel->name, leaf.column)}, 1}};
  }
  Polynomial left = expand(expression.left());
  Polynomial right = expand(expression.right());
  switch (expression.op().op->algebra) {
    case Algebra::sum: {
      for (const auto& [factors, count] : right) left[factors] += count;
      return left;
    }
    case Algebra::product: {
      Polynomial product;
      for (const auto& [left_factors, left_count] : left) {
        for (const auto& [right_factors, right_count] : right) {
          std::vector<std::string> factors;
          factors.reserve(left_factors.size() + right_factors.size());
          std::merge(left_factors.begin(), left_factors.end(), right_factors.begin(),
                     right_factors.end(), std::back_inserter(factors));
          product[std::move(factors)] += left_count * right_count;
        }
      }
      return product;
    }
    case Algebra::none:
      break;
  }
  std::string left_key = key_of(left);
  std::string right_key = key_of(right);
  if (expression.op().op->is_commutative && right_key < left_key) std::swap(left_key, right_key);
  return {{{call(expression.op(), left_key, right_key)}, 1}};
}

}  // namespace

bool identical(const Expression& a, const Expression& b) {
  if (a.tree_hash() != b.tree_hash() || a.is_leaf() != b.is_leaf()) return false;
  if (a.is_leaf()) return a.base_kernel() == b.base_kernel();
  return a.op() == b.op() && identical(a.left(), b.left()) && identical(a.right(), b.right());
}

bool same_tree(const Expression& a, const Expression& b) {
  return a.tree_hash() == b.tree_hash() && tree_key(a) == tree_key(b);
}

std::string tree_key(const Expression& expression) {
  if (expression.is_leaf()) {
    const BoundKernel& leaf = expression.base_kernel();
    return numbered(leaf.kernel->name, leaf.column);
  }
  std::string left = tree_key(expression.left());
  std::string right = tree_key(expression.right());
  if (expression.op().op->is_commutative && right < left) std::swap(left, right);
  return call(expression.op(), left, right);
}

bool same_polynomial(const Expression& a, const Expression& b) {
  if (a.polynomial_hash() != b.polynomial_hash()) return false;
  // Equal values at two random points leave next to no doubt; where the text is cheap, none.
  constexpr double cheap = 1000;
  if (max_num_terms(a) > cheap || max_num_terms(b) > cheap) return true;
  return polynomial_key(a) == polynomial_key(b);
}

std::string polynomial_key(const Expression& expression) {
  if (max_num_terms(expression) > max_terms) {
    throw Error(ErrorKind::usage,
                fmt::format("the expression expands to more than {} products, too many to write "
                            "down; shorten it",
                            max_terms));
  }
  return key_of(expand(expression));
}

}  // namespace covary
