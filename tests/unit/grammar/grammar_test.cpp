#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/grammar.h>

#include "unit/random_expression.h"

namespace covary {
namespace {

SearchSpace space_of(const std::string& kernels, const std::string& operators,
                     std::size_t num_inputs = 1, std::size_t max_leaves = 1000) {
  return make_search_space({kernels, operators, max_leaves}, InputNames::unnamed(num_inputs));
}

SearchSpace random_space(Random& random, std::size_t num_inputs) {
  const std::vector<std::string> kernels = {"SE", "SE,PER", "paper-large", "paper-small",
                                            "SE,LIN,PER,RQ,MAT32,MAT52"};
  const std::vector<std::string> operators = {"+", "*", "+,*", "CP", "+,*,CP"};
  return space_of(kernels[random.index(kernels.size())], operators[random.index(operators.size())],
                  num_inputs, 1 + random.index(9));
}

// The grammar of section 2.3 written down as recursion over the tree: the results of all
// operations on this node and below, as text, each as often as there are operations for it.
std::multiset<std::string> neighbours_by_definition(const Expression& tree,
                                                    const SearchSpace& space) {
  std::multiset<std::string> results;
  const bool may_grow = tree.num_leaves() < space.max_leaves;
  for (std::size_t i = 0; i < tree.num_nodes(); ++i) {
    const Expression node = subtree(tree, i);
    const auto put = [&](const Expression& replacement) {
      results.insert(to_string(with_subtree(tree, i, replacement)));
    };
    for (const BoundKernel& kernel : space.base_kernels) {
      if (node.is_leaf() && node.base_kernel() != kernel) put(kernel);
      if (!may_grow) continue;
      for (const BoundOperator& op : space.operators) {
        put(Expression::join(op, node, kernel));
        if (!op.op->is_commutative) put(Expression::join(op, kernel, node));
      }
    }
  }
  return results;
}

TEST(Grammar, NeighboursAreThoseOfTheDefinitionForRandomExpressionsAndSpaces) {
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const std::size_t num_inputs = 1 + random.index(3);
    const Grammar grammar(random_space(random, num_inputs));
    const Expression tree =
        random_expression(random, 1 + random.index(8), num_inputs, all_base_kernels());
    const auto expected = neighbours_by_definition(tree, grammar.space());
    ASSERT_EQ(grammar.num_neighbours(tree), expected.size()) << tree;
    std::multiset<std::string> actual;
    for (std::uint64_t n = 0; n < expected.size(); ++n) {
      actual.insert(to_string(grammar.neighbour(tree, n)));
    }
    ASSERT_EQ(actual, expected) << tree;
  }
}

TEST(Grammar, NeighbourCountFollowsTheFormula) {
  Random random(2);
  const Grammar grammar(
      space_of("paper-small", "+,*,CP", 2));  // r = 8, c = 2, t = 2 (one an input)
  for (const Expression& tree : grammar.grow(grammar.start_kernels(), 2000, random)) {
    const std::uint64_t m = tree.num_leaves();
    ASSERT_EQ(grammar.num_neighbours(tree), m * 7 + (2 * m - 1) * 8 * (2 + 2 * 2)) << tree;
  }
}

// Pearson's statistic against equal chances for every operation.
TEST(Grammar, RandomNeighbourIsUniformOverTheOperations) {
  Random random(3);
  const std::vector<std::string> texts = {"SE", "SE + SE", "CP(SE, PER)*LIN", "SE*(PER + LIN*RQ)"};
  for (const std::string& text : texts) {
    const Grammar grammar(space_of("paper-small", "+,*,CP"));
    const Expression tree = parse_expression(text, InputNames::unnamed(1));
    std::map<std::string, double> expected;
    for (const Expression& neighbour : grammar.neighbours(tree))
      expected[to_string(neighbour)] += 1;
    const auto num_operations = static_cast<double>(grammar.num_neighbours(tree));
    constexpr int draws_per_operation = 200;
    std::map<std::string, double> counts;
    const int draws = draws_per_operation * static_cast<int>(num_operations);
    for (int i = 0; i < draws; ++i) counts[to_string(*grammar.random_neighbour(tree, random))] += 1;
    double statistic = 0.0;
    for (const auto& [neighbour, multiplicity] : expected) {
      const double mean = multiplicity * draws_per_operation;
      statistic += (counts[neighbour] - mean) * (counts[neighbour] - mean) / mean;
    }
    ASSERT_EQ(counts.size(), expected.size()) << text;
    const double freedom = static_cast<double>(expected.size()) - 1;
    EXPECT_LT(statistic, freedom + 5 * std::sqrt(2 * freedom)) << text;
    EXPECT_GT(statistic, freedom - 5 * std::sqrt(2 * freedom)) << text;
  }
}

// Keys of all trees with at most `max_leaves` leaves, by definition 1.
std::set<std::string> all_trees(const SearchSpace& space) {
  std::set<std::string> keys;
  for (const Expression& tree : kernel_space(space, space.max_leaves - 1)) {
    keys.insert(tree_key(tree));
  }
  return keys;
}

TEST(Grammar, ReachesEveryTreeOfDefinitionOneFromTheBaseKernels) {
  for (const char* operators : {"+,*", "+,*,CP", "CP"}) {
    const SearchSpace space = space_of("SE,PER", operators, 1, 4);
    const Grammar grammar(space);
    std::set<std::string> reached;
    std::vector<Expression> open = grammar.start_kernels();
    for (const Expression& start : open) reached.insert(tree_key(start));
    while (!open.empty()) {
      const Expression tree = open.back();
      open.pop_back();
      for (const Expression& neighbour : grammar.neighbours(tree)) {
        if (reached.insert(tree_key(neighbour)).second) open.push_back(neighbour);
      }
    }
    EXPECT_EQ(reached, all_trees(space)) << operators;
  }
}

TEST(KernelSpace, GrowsByTheFormulaOfDefinitionOne) {
  // |L_i| = r + c n (n + 1) / 2 + t n^2 with n = |L_(i-1)|.
  for (const auto& [operators, c, t] :
       {std::tuple{"+", 1, 0}, std::tuple{"+,*", 2, 0}, std::tuple{"+,CP", 1, 1}}) {
    const SearchSpace space = space_of("SE,PER,LIN", operators);
    const auto r = static_cast<int>(space.base_kernels.size());
    int n = 0;
    for (std::size_t depth = 0; depth <= 2; ++depth) {
      n = depth == 0 ? r : r + c * n * (n + 1) / 2 + t * n * n;
      EXPECT_EQ(kernel_space(space, depth).size(), static_cast<std::size_t>(n)) << operators;
    }
  }
}

TEST(Grammar, StepsOfAWalkAreNeighbours) {
  Random random(4);
  const Grammar grammar(space_of("paper-small", "+,*,CP", 2));
  for (const Expression& start : grammar.start_kernels()) {
    const std::vector<Expression> walk = grammar.random_walk(start, 6, random);
    ASSERT_EQ(walk.size(), 6U);
    Expression here = start;
    for (const Expression& next : walk) {
      const auto around = neighbours_by_definition(here, grammar.space());
      ASSERT_TRUE(around.contains(to_string(next))) << here << "   " << next;
      here = next;
    }
  }
}

TEST(Grammar, WalkEndsWhereNothingIsLeftToDo) {
  Random random(5);
  const Grammar grammar(space_of("SE", "+", 1, 2));
  const std::vector<Expression> walk = grammar.random_walk(grammar.start_kernels()[0], 9, random);
  ASSERT_EQ(walk.size(), 1U);
  EXPECT_EQ(to_string(walk[0]), "SE + SE");
  EXPECT_FALSE(grammar.random_neighbour(walk[0], random).has_value());
}

TEST(Grammar, InitialKernelsAreEveryBaseKernelAndAWalkFromEach) {
  Random random(6);
  const Grammar grammar(space_of("paper-small", "+,*", 2));
  const std::vector<Expression> initial = grammar.initial_kernels(2, random);
  ASSERT_EQ(initial.size(), 3U * 8U);
  for (std::size_t i = 0; i < initial.size(); i += 3) {
    EXPECT_TRUE(identical(initial[i], grammar.start_kernels()[i / 3]));
    EXPECT_TRUE(
        neighbours_by_definition(initial[i], grammar.space()).contains(to_string(initial[i + 1])));
    EXPECT_TRUE(neighbours_by_definition(initial[i + 1], grammar.space())
                    .contains(to_string(initial[i + 2])));
  }
}

TEST(Grammar, GrownSetKeepsItsFirstMembersAndEveryOtherHasAParentInIt) {
  Random random(7);
  const Grammar grammar(space_of("SE,PER", "+,*"));
  const std::vector<Expression> grown = grammar.grow(grammar.start_kernels(), 200, random);
  ASSERT_EQ(grown.size(), 200U);
  for (std::size_t i = 2; i < grown.size(); ++i) {
    const bool has_parent = std::any_of(
        grown.begin(), grown.begin() + static_cast<std::ptrdiff_t>(i),
        [&](const Expression& member) {
          return neighbours_by_definition(member, grammar.space()).contains(to_string(grown[i]));
        });
    ASSERT_TRUE(has_parent) << grown[i];
  }
}

TEST(Grammar, DistinctGrowthFindsTheWholeOfASmallSpaceAndThenStops) {
  Random random(8);
  const SearchSpace space = space_of("SE,PER", "+,*", 1, 3);
  const Grammar grammar(space);
  std::set<std::string> keys;
  const std::vector<Expression> grown =
      grammar.grow(grammar.start_kernels(), 100'000, random, Grammar::Repeats::left_out);
  for (const Expression& member : grown) keys.insert(tree_key(member));
  EXPECT_EQ(keys.size(), grown.size());
  EXPECT_EQ(keys, all_trees(space));
}

TEST(Grammar, TheSameSeedGivesTheSameKernels) {
  const Grammar grammar(space_of("paper-small", "+,*,CP", 3));
  const auto grow_with = [&](std::uint64_t seed) {
    Random random(seed);
    std::string text;
    for (const Expression& kernel : grammar.grow(grammar.start_kernels(), 50, random)) {
      text += to_string(kernel) + "\n";
    }
    return text;
  };
  EXPECT_EQ(grow_with(1), grow_with(1));
  EXPECT_NE(grow_with(1), grow_with(2));
}

TEST(Grammar, RefusesSpacesWithoutKernelsOrWithRepeats) {
  EXPECT_THROW(Grammar({{}, {{&add_operator()}}, 10}), Error);
  const BoundKernel se{find_base_kernel("SE"), 0};
  EXPECT_THROW(Grammar({{se, se}, {}, 10}), Error);
  EXPECT_EQ(Grammar({{se}, {}, 10}).num_neighbours(se), 0U);
}

}  // namespace
}  // namespace covary
