// The strategies that the method is compared with.
#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "search/greedy_strategy.h"
#include "search/tree_gep_strategy.h"

namespace covary {
namespace {

const Grammar& grammar() {
  static const Grammar result(
      make_search_space({.space = "SE,LIN,PER", .max_leaves = 20}, InputNames::unnamed(1)));
  return result;
}

// What a strategy evaluates, and what it knew: each kernel once the one before has its value.
template <class Score>
std::vector<Expression> followed(Strategy& strategy, std::vector<Expression> kernels,
                                 std::size_t count, const Score& score) {
  for (const Expression& kernel : kernels) strategy.add(kernel, score(kernel));
  while (kernels.size() < count) {
    Random random(kernels.size());
    strategy.update(random);
    const std::optional<StrategyProposal> next = strategy.propose({}, random);
    if (!next) break;
    kernels.push_back(next->kernel);
    strategy.add(kernels.back(), score(kernels.back()));
  }
  return kernels;
}

std::set<std::string> keys(std::vector<Expression>::const_iterator first,
                           std::vector<Expression>::const_iterator last) {
  std::set<std::string> result;
  for (auto kernel = first; kernel != last; ++kernel) result.insert(tree_key(*kernel));
  return result;
}

// Neighbours are counted by trees here.
SearchOptions by_trees() {
  SearchOptions options;
  options.unique = Uniqueness::tree;
  return options;
}

double size_score(const Expression& kernel) { return static_cast<double>(kernel.num_leaves()); }

TEST(GreedyStrategy, EvaluatesAllNeighboursOfTheBestAndThenThoseOfTheNextBest) {
  const std::vector<Expression> start = grammar().start_kernels();
  // LIN is the best base kernel; of its neighbours LIN*PER is, the others are equal.
  const auto score = [](const Expression& kernel) -> std::optional<double> {
    const std::string text = to_string(kernel);
    if (text == "LIN") return 1.0;
    return text == "LIN*PER" || text == "PER*LIN" ? 2.0 : 0.0;
  };
  GreedyStrategy strategy(grammar(), by_trees());
  const std::vector<Expression> all = followed(strategy, start, 60, score);
  std::set<std::string> expected = keys(start.begin(), start.end());
  const InputNames one = InputNames::unnamed(1);
  const auto expect_neighbours_of = [&](const char* centre) {
    const std::size_t known = expected.size();
    for (const Expression& kernel : grammar().neighbours(parse_expression(centre, one))) {
      expected.insert(tree_key(kernel));
    }
    ASSERT_LE(expected.size(), all.size());
    EXPECT_EQ(keys(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(expected.size())),
              expected);
    EXPECT_GT(expected.size(), known);
  };
  expect_neighbours_of("LIN");
  expect_neighbours_of("LIN*PER");
}

TEST(GreedyStrategy, TheSeedDecidesOnTheOrderOfNeighboursOnly) {
  const std::vector<Expression> start = grammar().start_kernels();
  const auto constant = [](const Expression& kernel) -> std::optional<double> {
    return kernel.num_leaves() == 1 ? size_score(kernel) : 0.0;
  };
  // LIN's neighbours by exchange are known; joins with 3 base kernels by 2 operators are 6 more.
  const std::size_t count = start.size() + 6;
  std::set<std::string> first;
  std::set<std::vector<std::string>> orders;
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    SearchOptions options = by_trees();
    options.seed = seed;
    GreedyStrategy strategy(grammar(), options);
    const std::vector<Expression> all = followed(strategy, start, count, constant);
    ASSERT_EQ(all.size(), count);
    if (seed == 1) first = keys(all.begin(), all.end());
    EXPECT_EQ(keys(all.begin(), all.end()), first);
    std::vector<std::string> order(all.size());
    std::transform(all.begin(), all.end(), order.begin(), tree_key);
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 1U);
}

TEST(GreedyStrategy, WaitsForTheWholeNeighbourhood) {
  GreedyStrategy strategy(grammar(), by_trees());
  for (const Expression& kernel : grammar().start_kernels()) strategy.add(kernel, 1.0);
  std::vector<Expression> under_way;
  Random random(1);
  while (true) {
    strategy.update(random);
    const std::optional<StrategyProposal> next = strategy.propose(under_way, random);
    if (!next) break;
    under_way.push_back(next->kernel);
  }
  EXPECT_EQ(under_way.size(), 6U);
  for (const Expression& kernel : under_way) strategy.add(kernel, std::nullopt);
  strategy.update(random);
  EXPECT_TRUE(strategy.propose({}, random).has_value());
}

TEST(GreedyStrategy, EndsWhereNothingHasAValue) {
  GreedyStrategy strategy(grammar(), {});
  for (const Expression& kernel : grammar().start_kernels()) strategy.add(kernel, std::nullopt);
  Random random(1);
  strategy.update(random);
  EXPECT_FALSE(strategy.propose({}, random).has_value());
}

// Kernels are the better the nearer they are to 12 leaves: larger ones than the limit of 10 have to
// be taken in one by one as they beat all before them.
TEST(TreeGepStrategy, GenerationsGetBetterAndTheLimitOfLeavesMoves) {
  const auto score = [](const Expression& kernel) -> std::optional<double> {
    if (kernel.tree_hash() % 10 == 0) return std::nullopt;
    return -std::abs(static_cast<double>(kernel.num_leaves()) - 12.0);
  };
  TreeGepStrategy strategy(grammar(), {});
  Random random(2);
  const std::vector<Expression> all =
      followed(strategy, grammar().initial_kernels(2, random), 900, score);
  ASSERT_EQ(all.size(), 900U);
  // No tree twice, but for those that the initial set may repeat.
  EXPECT_EQ(keys(all.begin() + 9, all.end()).size(), all.size() - 9);
  const auto mean_size = [&](std::size_t first, std::size_t last) {
    double sum = 0.0;
    for (std::size_t i = first; i < last; ++i) sum += size_score(all[i]);
    return sum / static_cast<double>(last - first);
  };
  EXPECT_LT(mean_size(0, 200), 6.0);
  EXPECT_GT(mean_size(740, 900), mean_size(200, 380) + 1.0);
  const auto best = std::max_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    return score(a).value_or(-100.0) < score(b).value_or(-100.0);
  });
  EXPECT_EQ(best->num_leaves(), 12U);
}

TEST(TreeGepStrategy, NeverLeavesTheSpace) {
  const Grammar small(
      make_search_space({.space = "SE,LIN", .max_leaves = 4}, InputNames::unnamed(1)));
  TreeGepStrategy strategy(small, {});
  const std::vector<Expression> all =
      followed(strategy, small.start_kernels(), 400,
               [](const Expression& kernel) { return std::optional(size_score(kernel)); });
  for (const Expression& kernel : all) EXPECT_LE(kernel.num_leaves(), 4U);
  EXPECT_EQ(keys(all.begin(), all.end()).size(), all.size());
}

}  // namespace
}  // namespace covary
