#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/expression.h>
#include <covary/random.h>

#include "unit/random_expression.h"

namespace covary {
namespace {

// Trees over few words, so that equal ones are met often.
Expression small_tree(Random& random, std::size_t num_leaves) {
  static const std::vector<BoundKernel> kernels = {{find_base_kernel("SE"), 0},
                                                   {find_base_kernel("PER"), 0}};
  if (num_leaves == 1) return kernels[random.index(kernels.size())];
  const std::size_t num_left = 1 + random.index(num_leaves - 1);
  const std::vector<const Operator*> operators = {&add_operator(), &add_operator(),
                                                  &mult_operator(), &mult_operator(),
                                                  &change_point_operator()};
  const Operator* op = operators[random.index(operators.size())];
  const Expression left = small_tree(random, num_left);
  return Expression::join({op}, left, small_tree(random, num_leaves - num_left));
}

// The definition, tried out: equal nodes, with the sides of + and * in either order.
bool same_tree_by_definition(const Expression& a, const Expression& b) {
  if (a.is_leaf() || b.is_leaf()) {
    return a.is_leaf() && b.is_leaf() && a.base_kernel() == b.base_kernel();
  }
  if (a.op() != b.op()) return false;
  const auto match = [](const Expression& x, const Expression& y, const Expression& u,
                        const Expression& v) {
    return same_tree_by_definition(x, u) && same_tree_by_definition(y, v);
  };
  return match(a.left(), a.right(), b.left(), b.right()) ||
         (a.op().op->is_commutative && match(a.left(), a.right(), b.right(), b.left()));
}

// The expression as a function of its leaves, with an asymmetric function in the place of CP.
double value_at(const Expression& tree, const std::map<std::string_view, double>& point) {
  if (tree.is_leaf()) return point.at(tree.base_kernel().kernel->name);
  const double left = value_at(tree.left(), point);
  const double right = value_at(tree.right(), point);
  if (tree.op().op == &add_operator()) return left + right;
  if (tree.op().op == &mult_operator()) return left * right;
  return 1.0 + std::sin(1.7 * left) + 0.5 * std::cos(2.9 * right + left);
}

bool same_function(const Expression& a, const Expression& b) {
  const std::vector<std::map<std::string_view, double>> points = {
      {{"SE", 0.7315}, {"PER", 1.2391}}, {{"SE", 1.1179}, {"PER", 0.4931}}};
  for (const auto& point : points) {
    const double x = value_at(a, point);
    const double y = value_at(b, point);
    if (std::abs(x - y) > 1e-10 * (1.0 + std::abs(x))) return false;
  }
  return true;
}

TEST(SameTree, AgreesWithItsDefinitionOnRandomPairs) {
  Random random(1);
  int num_same = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t num_leaves = 1 + random.index(5);
    const Expression a = small_tree(random, num_leaves);
    const Expression b = small_tree(random, num_leaves);
    const bool expected = same_tree_by_definition(a, b);
    ASSERT_EQ(same_tree(a, b), expected) << a << "   " << b;
    ASSERT_EQ(tree_key(a) == tree_key(b), expected) << a << "   " << b;
    ASSERT_EQ(a.tree_hash() == b.tree_hash(), expected) << a << "   " << b;
    num_same += expected ? 1 : 0;
  }
  EXPECT_GT(num_same, 1000);
}

TEST(SamePolynomial, MeansTheSameFunctionOfTheLeaves) {
  Random random(2);
  int num_same = 0;
  for (int i = 0; i < 20'000; ++i) {
    const Expression a = small_tree(random, 1 + random.index(6));
    const Expression b = small_tree(random, 1 + random.index(6));
    const bool expected = same_function(a, b);
    ASSERT_EQ(same_polynomial(a, b), expected) << a << "   " << b;
    ASSERT_EQ(polynomial_key(a) == polynomial_key(b), expected) << a << "   " << b;
    ASSERT_EQ(a.polynomial_hash() == b.polynomial_hash(), expected) << a << "   " << b;
    num_same += expected ? 1 : 0;
  }
  EXPECT_GT(num_same, 300);
}

// One random law of algebra, applied at a random node where it fits.
Expression rearranged(const Expression& tree, Random& random) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    const std::size_t index = random.index(tree.num_nodes());
    const Expression node = subtree(tree, index);
    if (node.is_leaf() || !node.op().op->is_commutative) continue;
    const Expression& a = node.left();
    const Expression& b = node.right();
    switch (random.index(3)) {
      case 0:  // a T b = b T a
        return with_subtree(tree, index, Expression::join(node.op(), b, a));
      case 1:  // (x T y) T b = x T (y T b)
        if (a.is_leaf() || a.op() != node.op()) break;
        return with_subtree(
            tree, index,
            Expression::join(node.op(), a.left(), Expression::join(node.op(), a.right(), b)));
      default:  // (x + y) * b = x * b + y * b
        if (node.op().op != &mult_operator() || a.is_leaf() || a.op().op != &add_operator()) break;
        return with_subtree(tree, index, a.left() * b + a.right() * b);
    }
  }
  return tree;
}

TEST(SamePolynomial, SurvivesTheLawsOfAlgebra) {
  Random random(3);
  for (int i = 0; i < 3000; ++i) {
    const Expression tree = random_expression(random, 2 + random.index(8), 3, all_base_kernels());
    Expression other = tree;
    for (int step = 0; step < 6; ++step) other = rearranged(other, random);
    ASSERT_TRUE(same_polynomial(tree, other)) << tree << "   " << other;
    ASSERT_EQ(polynomial_key(tree), polynomial_key(other)) << tree << "   " << other;
  }
}

TEST(SamePolynomial, ComparesExpressionsTooLongToExpand) {
  const Expression se = BoundKernel{find_base_kernel("SE"), 0};
  const Expression per = BoundKernel{find_base_kernel("PER"), 0};
  Expression a = se + per;
  Expression b = per + se;
  for (int i = 0; i < 60; ++i) {  // 2^61 products
    a = a * (se + per);
    b = (per + se) * b;
  }
  EXPECT_TRUE(same_polynomial(a, b));
  EXPECT_FALSE(same_polynomial(a, b + se));
  EXPECT_THROW(polynomial_key(a), Error);
}

TEST(Hashes, OfDifferentTreesDiffer) {
  Random random(4);
  std::map<std::uint64_t, std::string> tree_keys;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> polynomial_keys;
  for (int i = 0; i < 30'000; ++i) {
    const Expression tree = random_expression(random, 1 + random.index(7), 3, all_base_kernels());
    ASSERT_EQ(tree_keys.try_emplace(tree.tree_hash(), tree_key(tree)).first->second,
              tree_key(tree));
    const auto& hash = tree.polynomial_hash();
    ASSERT_EQ(
        polynomial_keys.try_emplace({hash.first, hash.second}, polynomial_key(tree)).first->second,
        polynomial_key(tree));
  }
}

TEST(Hashes, AreTheSameInEveryProcessAndOnEveryMachine) {
  const Expression tree =
      parse_expression("CP(LIN + SE*PER, RQ)*MAT32 + MAT52", InputNames::unnamed(1));
  EXPECT_EQ(tree.tree_hash(), 14125608533037877537U);  // once computed, now fixed: runs store it
  EXPECT_EQ(tree.polynomial_hash().first, 934154283309746801U);
}

}  // namespace
}  // namespace covary
