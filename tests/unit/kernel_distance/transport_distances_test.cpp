#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/distance.h>
#include <covary/random.h>

#include "linalg/symmetric.h"
#include "unit/kernel_distance/slow_distances.h"
#include "unit/random_expression.h"

namespace covary {
namespace {

Expression parse(const std::string& text, std::size_t num_inputs = 1) {
  return parse_expression(text, InputNames::unnamed(num_inputs));
}

Expression random_tree(Random& random, std::size_t num_inputs) {
  return random_expression(random, 1 + random.index(8), num_inputs, all_base_kernels());
}

void expect_near(const TransportDistances& a, const TransportDistances& b, double tolerance,
                 const std::string& what) {
  EXPECT_NEAR(a.base, b.base, tolerance) << what;
  EXPECT_NEAR(a.paths, b.paths, tolerance) << what;
  EXPECT_NEAR(a.subtrees, b.subtrees, tolerance) << what;
}

void expect_equal(const TransportDistances& a, const TransportDistances& b,
                  const std::string& what) {
  expect_near(a, b, 0.0, what);
}

TEST(TransportDistances, GiveThePapersExampleAsExactFractions) {
  const TransportDistances distances =
      transport_distances(parse("LIN*(PER*SE + SE)"), parse("(LIN + SE)*(PER*LIN + SE)"));
  expect_equal(distances, {3.0 / 20.0, 11.0 / 20.0, 11.0 / 21.0}, "appendix B");
}

TEST(TransportDistances, EqualTheirDefinitionsInTextForRandomPairs) {
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const std::size_t num_inputs = i % 2 == 0 ? 1 : 3;
    const Expression a = random_tree(random, num_inputs);
    const Expression b = random_tree(random, num_inputs);
    expect_near(transport_distances(a, b), slow_distances(a, b, num_inputs), 1e-13,
                to_string(a) + "   " + to_string(b));
  }
}

TEST(TransportDistances, AreSymmetricAndObeyTheTriangleInequality) {
  Random random(2);
  constexpr double rounding = 1e-13;
  for (int i = 0; i < 3000; ++i) {
    const std::size_t num_inputs = i % 2 == 0 ? 1 : 3;
    const Expression a = random_tree(random, num_inputs);
    const Expression b = random_tree(random, num_inputs);
    const Expression c = random_tree(random, num_inputs);
    const TransportDistances ab = transport_distances(a, b);
    const TransportDistances bc = transport_distances(b, c);
    const TransportDistances ac = transport_distances(a, c);
    expect_equal(ab, transport_distances(b, a), to_string(a) + "   " + to_string(b));
    ASSERT_LE(ac.base, ab.base + bc.base + rounding) << a << "   " << b << "   " << c;
    ASSERT_LE(ac.paths, ab.paths + bc.paths + rounding) << a << "   " << b << "   " << c;
    ASSERT_LE(ac.subtrees, ab.subtrees + bc.subtrees + rounding) << a << "   " << b << "   " << c;
    for (const double part : {ab.base, ab.paths, ab.subtrees}) ASSERT_GE(part, 0.0);
    ASSERT_LE(ab.base, static_cast<double>(num_inputs));
    ASSERT_LE(std::max(ab.paths, ab.subtrees), 1.0);
  }
}

// The same tree with the sides of commutative operators swapped at random.
Expression swapped(const Expression& tree, Random& random) {
  if (tree.is_leaf()) return tree;
  const Expression left = swapped(tree.left(), random);
  const Expression right = swapped(tree.right(), random);
  const bool swaps = tree.op().op->is_commutative && random.index(2) == 0;
  return swaps ? Expression::join(tree.op(), right, left)
               : Expression::join(tree.op(), left, right);
}

TEST(TransportDistances, AreZeroForTheSameTreeWithSidesSwapped) {
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const Expression tree = random_tree(random, 3);
    expect_equal(transport_distances(tree, swapped(tree, random)), {0.0, 0.0, 0.0},
                 to_string(tree));
  }
}

// The operands of a run of one operator, left to right.
void collect_operands(const Expression& node, const BoundOperator& op,
                      std::vector<Expression>& operands) {
  if (node.is_leaf() || node.op() != op) {
    operands.push_back(node);
    return;
  }
  collect_operands(node.left(), op, operands);
  collect_operands(node.right(), op, operands);
}

// Any tree over the operands of every run of a commutative and associative operator: the paper's
// second symmetry applied again and again.
Expression rearranged(const Expression& tree, Random& random) {
  if (tree.is_leaf()) return tree;
  const BoundOperator op = tree.op();
  if (!op.op->is_commutative || !op.op->is_associative) {
    return Expression::join(op, rearranged(tree.left(), random), rearranged(tree.right(), random));
  }
  std::vector<Expression> operands;
  collect_operands(tree, op, operands);
  for (Expression& operand : operands) operand = rearranged(operand, random);
  while (operands.size() > 1) {
    const std::size_t first = random.index(operands.size());
    const Expression left = operands[first];
    operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(first));
    Expression& right = operands[random.index(operands.size())];
    right = Expression::join(op, left, right);
  }
  return operands[0];
}

TEST(TransportDistances, OfBaseAndPathsAreBlindToRearrangingRunsOfAnOperatorAndSubtreesAreNot) {
  Random random(4);
  int num_told_apart = 0;
  for (int i = 0; i < 2000; ++i) {
    const Expression tree = random_tree(random, 3);
    const Expression other = rearranged(tree, random);
    const TransportDistances distances = transport_distances(tree, other);
    ASSERT_EQ(distances.base, 0.0) << tree << "   " << other;
    ASSERT_EQ(distances.paths, 0.0) << tree << "   " << other;
    ASSERT_EQ(distances.subtrees == 0.0, same_tree(tree, other)) << tree << "   " << other;
    if (distances.subtrees > 0.0) ++num_told_apart;
  }
  EXPECT_GT(num_told_apart, 300);
}

TEST(TransportDistances, SeeReassociationInSubtrees) {
  const TransportDistances distances =
      transport_distances(parse("LIN + (SE + PER)"), parse("(LIN + SE) + PER"));
  expect_equal(distances, {0.0, 0.0, 2.0 / 5.0}, "two of five subtrees differ");
}

TEST(TransportDistances, TellTheSidesOfAChangePointApartInSubtreesOnly) {
  expect_equal(transport_distances(parse("CP(SE, LIN)"), parse("CP(LIN, SE)")),
               {0.0, 0.0, 1.0 / 3.0}, "one of three subtrees");
}

TEST(TransportDistances, DoNotMergeChangePointsAlongAPath) {
  EXPECT_EQ(transport_distances(parse("CP(CP(SE, SE), SE)"), parse("CP(SE, SE)")).paths, 2.0 / 3.0);
}

TEST(TransportDistances, TellChangePointsAlongDifferentInputsApart) {
  const Expression first = parse("CP_1(SE_1, SE_1)", 2);
  const Expression second = parse("CP_2(SE_1, SE_1)", 2);
  expect_equal(transport_distances(first, second), {0.0, 1.0, 1.0 / 3.0}, "CP_1 and CP_2");
}

TEST(TransportDistances, CountAnInputThatOnlyOneKernelUsesAsOne) {
  EXPECT_EQ(transport_distances(parse("SE_1", 3), parse("SE_1 + SE_3", 3)).base, 1.0);
  EXPECT_EQ(transport_distances(parse("SE_1", 3), parse("SE_3", 3)).base, 2.0);
  EXPECT_EQ(transport_distances(parse("SE_1", 3), parse("PER_1", 3)).base, 1.0);
}

// Proposition 2: the kernel-kernel is positive semi-definite for all weights and lengthscales.
TEST(TransportDistances, MakeAPositiveSemiDefiniteGramMatrixForRandomWeights) {
  Random random(5);
  for (int run = 0; run < 30; ++run) {
    const std::size_t num_inputs = run % 2 == 0 ? 1 : 3;
    std::vector<Expression> kernels;
    while (kernels.size() < 60) kernels.push_back(random_tree(random, num_inputs));
    const double weights[] = {random.uniform(), random.uniform(), random.uniform()};
    const double squared_lengthscale = std::exp(4.0 * random.uniform() - 2.0);
    Matrix gram(kernels.size(), kernels.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      for (std::size_t j = 0; j < kernels.size(); ++j) {
        const TransportDistances d = transport_distances(kernels[i], kernels[j]);
        const double sum = weights[0] * d.base + weights[1] * d.paths + weights[2] * d.subtrees;
        gram(i, j) = std::exp(-sum / squared_lengthscale);
      }
    }
    ASSERT_GE(symmetric_eigen(gram).values.front(), -1e-10);
  }
}

}  // namespace
}  // namespace covary
