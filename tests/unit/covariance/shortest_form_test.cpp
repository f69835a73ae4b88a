#include "expression/shortest_form.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>

#include "covariance/compiled_kernel.h"
#include "covariance/parameter_space.h"
#include "unit/covariance/random_parameters.h"
#include "unit/random_expression.h"

namespace covary {
namespace {

constexpr std::size_t num_inputs = 2;
constexpr std::size_t num_rows = 15;

Matrix covariance(const Expression& kernel, std::span<const double> parameters, double noise,
                  const InputColumns& x) {
  Matrix gram(num_rows, num_rows);
  CompiledKernel(kernel).gram(parameters, x, gram);
  for (std::size_t i = 0; i < num_rows; ++i) gram(i, i) += noise;
  return gram;
}

// The same function of its operands: sides of + and * swapped, and brackets moved, at random.
Expression rearranged(const Expression& tree, Random& random) {
  if (tree.is_leaf()) return tree;
  const Operator& op = *tree.op().op;
  Expression left = rearranged(tree.left(), random);
  Expression right = rearranged(tree.right(), random);
  if (op.is_commutative && random.index(2) == 0) std::swap(left, right);
  const bool can_move = op.is_associative && !left.is_leaf() && left.op() == tree.op();
  if (can_move && random.index(2) == 0) {  // (a b) c  =  a (b c)
    return Expression::join(tree.op(), left.left(),
                            Expression::join(tree.op(), left.right(), right));
  }
  return Expression::join(tree.op(), left, right);
}

// Every rule, in every combination that chance finds: whatever the parameters are, the shortest
// form has some with which it is the same model of the same rows.
TEST(ShortestForm, IsTheSameModelOfTheRowsWithItsParameters) {
  Random random(1);
  std::size_t num_shorter = 0;
  for (int round = 0; round < 3000; ++round) {
    const Expression expression =
        random_expression(random, 1 + random.index(9), num_inputs, all_base_kernels());
    const std::vector<double> parameters = random_parameters(expression, random);
    constexpr double noise = 0.02;
    const ValuedKernel shortest = shortest_form(expression, parameters, noise);
    ASSERT_EQ(shortest.parameters.size(), shortest.expression.num_parameters()) << expression;
    ASSERT_LE(shortest.expression.num_leaves(), expression.num_leaves()) << expression;
    num_shorter += shortest.expression.num_leaves() < expression.num_leaves() ? 1U : 0U;

    std::vector<std::vector<double>> columns(num_inputs);
    for (auto& column : columns) {
      for (std::size_t i = 0; i < num_rows; ++i) column.push_back(-0.3 + 1.6 * random.uniform());
      column[3] = column[4] = column[5];  // rows with equal inputs
    }
    const InputColumns x(columns.begin(), columns.end());
    const Matrix wanted = covariance(expression, parameters, noise, x);
    const Matrix found =
        covariance(shortest.expression, shortest.parameters, shortest.noise_variance, x);
    for (std::size_t j = 0; j < num_rows; ++j) {
      for (std::size_t i = j; i < num_rows; ++i) {
        const double unit = std::sqrt(wanted(i, i) * wanted(j, j));
        ASSERT_NEAR(found(i, j), wanted(i, j), 1e-10 * unit)
            << expression << " as " << shortest.expression;
      }
    }
  }
  EXPECT_GT(num_shorter, 500U);
}

TEST(ShortestForm, IsItsOwnShortestForm) {
  Random random(2);
  for (int round = 0; round < 3000; ++round) {
    const Expression expression =
        random_expression(random, 1 + random.index(12), num_inputs, all_base_kernels());
    const Expression shortest = shortest_form(expression);
    ASSERT_TRUE(identical(shortest_form(shortest), shortest)) << expression;
  }
}

TEST(ShortestForm, DoesNotDependOnOrderAndBrackets) {
  Random random(3);
  std::set<std::string> keys;
  for (int round = 0; round < 3000; ++round) {
    const Expression expression =
        random_expression(random, 2 + random.index(10), num_inputs, all_base_kernels());
    const Expression other = rearranged(expression, random);
    ASSERT_EQ(family_key(expression), family_key(other)) << expression << " and " << other;
    ASSERT_TRUE(same_family(expression, other));
    keys.insert(family_key(expression));
  }
  EXPECT_GT(keys.size(), 1500U);  // and not because all were one
}

}  // namespace
}  // namespace covary
