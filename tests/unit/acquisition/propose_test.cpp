#include "acquisition/propose.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "acquisition/expected_improvement.h"

namespace covary {
namespace {

Grammar grammar_of(const std::string& kernels, const std::string& operators, std::size_t inputs,
                   std::size_t max_leaves = 1000) {
  return Grammar(make_search_space({kernels, operators, max_leaves}, InputNames::unnamed(inputs)));
}

double made_up_value(const Expression& kernel) {
  double value = 0.0;
  for (const BoundKernel& leaf : leaves(kernel)) value += leaf.kernel->name == "PER" ? 1.0 : -0.2;
  return value / static_cast<double>(kernel.num_leaves());
}

void learn(KernelSurrogate& surrogate, const std::vector<Expression>& kernels, Random& random) {
  for (const Expression& kernel : kernels) surrogate.add(kernel, made_up_value(kernel));
  surrogate.refit(random);
}

std::set<std::string> keys_of(std::span<const Expression> kernels) {
  std::set<std::string> keys;
  for (const Expression& kernel : kernels) keys.insert(tree_key(kernel));
  return keys;
}

TEST(Propose, GivesTheScoreThatTheSurrogateImplies) {
  Random random(1);
  const Grammar grammar = grammar_of("paper-small", "+,*,CP", 2);
  KernelSurrogate surrogate;
  learn(surrogate, grammar.initial_kernels(2, random), random);
  for (const EvolutionOptions& options : {EvolutionOptions{}, EvolutionOptions::paper()}) {
    const std::optional<Proposal> proposal = propose(surrogate, grammar, {}, options, random);
    ASSERT_TRUE(proposal.has_value());
    const SurrogatePrediction prediction = surrogate.predict({&proposal->kernel, 1});
    EXPECT_NEAR(proposal->mean, prediction.mean[0], 1e-12);
    EXPECT_NEAR(proposal->sd, prediction.sd[0], 1e-12);
    EXPECT_NEAR(proposal->log_expected_improvement,
                log_expected_improvement(prediction.mean[0], prediction.sd[0],
                                         surrogate.incumbent(), options.margin),
                1e-9);
  }
}

TEST(Propose, NeverGivesAnExcludedKernelUntilTheSpaceIsExhausted) {
  for (const char* operators : {"+", "+,*", "CP"}) {
    Random random(2);
    const Grammar grammar = grammar_of("SE,PER", operators, 1, 3);
    const std::set<std::string> all = keys_of(kernel_space(grammar.space(), 2));
    KernelSurrogate surrogate;
    learn(surrogate, grammar.start_kernels(), random);
    while (true) {
      const auto is_evaluated = [&](const Expression& kernel) {
        return keys_of(surrogate.kernels()).contains(tree_key(kernel));
      };
      const std::optional<Proposal> proposal =
          propose(surrogate, grammar, is_evaluated, {}, random);
      if (!proposal) break;
      ASSERT_FALSE(is_evaluated(proposal->kernel)) << proposal->kernel;
      learn(surrogate, {proposal->kernel}, random);
      ASSERT_LE(surrogate.kernels().size(), all.size());
    }
    EXPECT_EQ(keys_of(surrogate.kernels()), all) << operators;
  }
}

// In a space small enough to list, the evolution can be compared with the true maximum.
TEST(Propose, FindsTheBestKernelOfAListedSpace) {
  const Grammar grammar = grammar_of("SE,PER,LIN", "+,*", 1, 4);
  const std::vector<Expression> all = kernel_space(grammar.space(), 3);
  ASSERT_GT(all.size(), 500U);
  int num_best = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    KernelSurrogate surrogate;
    learn(surrogate, grammar.initial_kernels(2, random), random);
    const std::set<std::string> evaluated = keys_of(surrogate.kernels());
    const auto is_evaluated = [&](const Expression& kernel) {
      return evaluated.contains(tree_key(kernel));
    };
    const std::optional<Proposal> proposal = propose(surrogate, grammar, is_evaluated, {}, random);
    ASSERT_TRUE(proposal.has_value());
    const SurrogatePrediction prediction = surrogate.predict(all);
    double best = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (is_evaluated(all[i])) continue;
      best = std::max(best, log_expected_improvement(prediction.mean[i], prediction.sd[i],
                                                     surrogate.incumbent(), 0.01));
    }
    EXPECT_LE(proposal->log_expected_improvement, best + 1e-9);
    if (proposal->log_expected_improvement > best - 1e-9) ++num_best;
  }
  EXPECT_GE(num_best, 15);
}

TEST(Propose, LooksAtNoTreeTwiceInTheDefaultAndAtTheExpectedNumber) {
  Random random(3);
  const Grammar grammar = grammar_of("paper-small", "+,*", 5);
  KernelSurrogate surrogate;
  learn(surrogate, grammar.initial_kernels(2, random), random);
  std::set<std::string> met;
  std::size_t num_asked = 0;
  const auto count = [&](const Expression& kernel) {
    ++num_asked;
    EXPECT_TRUE(met.insert(tree_key(kernel)).second) << kernel;
    return false;
  };
  propose(surrogate, grammar, count, {}, random);
  EXPECT_EQ(num_asked, 100U + 10U * 80U);
}

TEST(Propose, GrowsKernelsByAtMostOneLeafAGeneration) {
  Random random(4);
  const Grammar grammar = grammar_of("PER", "+", 1);
  KernelSurrogate surrogate;
  for (const Expression& kernel : grammar.initial_kernels(3, random)) {
    surrogate.add(kernel, static_cast<double>(kernel.num_leaves()));  // the larger the better
  }
  surrogate.refit(random);
  for (const std::size_t generations : {0U, 3U, 10U}) {
    EvolutionOptions options;
    options.population = 5;
    options.generations = generations;
    const std::optional<Proposal> proposal = propose(surrogate, grammar, {}, options, random);
    ASSERT_TRUE(proposal.has_value());
    EXPECT_LE(proposal->kernel.num_leaves(), 4U + 5U + generations);
  }
}

TEST(Propose, GivesTheSameKernelForTheSameSeed) {
  const Grammar grammar = grammar_of("paper-small", "+,*", 3);
  const auto proposal_with = [&](std::uint64_t seed) {
    Random random(seed);
    KernelSurrogate surrogate;
    learn(surrogate, grammar.initial_kernels(2, random), random);
    return to_string(propose(surrogate, grammar, {}, {}, random)->kernel);
  };
  EXPECT_EQ(proposal_with(1), proposal_with(1));
  EXPECT_NE(proposal_with(1), proposal_with(2));
}

TEST(Propose, MovesOnWhenTheLastProposalIsBelieved) {
  Random random(5);
  const Grammar grammar = grammar_of("paper-small", "+,*", 2);
  KernelSurrogate surrogate;
  learn(surrogate, grammar.initial_kernels(2, random), random);
  const double incumbent = surrogate.incumbent();
  const std::optional<Proposal> first = propose(surrogate, grammar, {}, {}, random);
  ASSERT_TRUE(first.has_value());
  surrogate.believe(first->kernel);
  EXPECT_EQ(surrogate.incumbent(), incumbent);
  const SurrogatePrediction again = surrogate.predict({&first->kernel, 1});
  EXPECT_LT(log_expected_improvement(again.mean[0], again.sd[0], incumbent, 0.01),
            first->log_expected_improvement);
  const std::optional<Proposal> second = propose(surrogate, grammar, {}, {}, random);
  ASSERT_TRUE(second.has_value());
  EXPECT_FALSE(same_tree(first->kernel, second->kernel));
}

// All that propose_nearby() gives one after the other, as keys; better promises first.
std::set<std::string> all_nearby(const KernelSurrogate& surrogate, const Grammar& grammar,
                                 bool prunes_twice) {
  std::set<std::string> given;
  double last = std::numeric_limits<double>::infinity();
  while (true) {
    const auto is_given = [&](const Expression& kernel) {
      return given.contains(tree_key(kernel));
    };
    const auto proposal = propose_nearby(surrogate, grammar, is_given, {}, prunes_twice);
    if (!proposal) return given;
    EXPECT_LE(proposal->log_expected_improvement, last);
    last = proposal->log_expected_improvement;
    EXPECT_TRUE(given.insert(tree_key(proposal->kernel)).second);
  }
}

// By hand for (SE + PER)*SE: one base kernel exchanged, or one side of an operator left out; then
// the same once more for what is left.
TEST(ProposeNearby, GivesSmallChangesOfTheBestKernelByTheirPromiseAndThenNothing) {
  Random random(6);
  const Grammar grammar = grammar_of("SE,PER", "+,*", 1);
  const InputNames one = InputNames::unnamed(1);
  KernelSurrogate surrogate;
  surrogate.add(parse_expression("SE", one), 0.0);
  surrogate.add(parse_expression("(SE + PER)*SE", one), 1.0);
  surrogate.add(parse_expression("SE*PER + SE", one), 0.5);
  surrogate.refit(random);
  std::set<std::string> expected;
  for (const char* kernel :
       {"SE", "(PER + PER)*SE", "(SE + SE)*SE", "(SE + PER)*PER", "SE + PER", "SE*SE", "PER*SE"}) {
    expected.insert(tree_key(parse_expression(kernel, one)));
  }
  EXPECT_EQ(all_nearby(surrogate, grammar, false), expected);
  for (const char* kernel : {"PER", "SE + SE", "PER + PER", "PER*PER"}) {
    expected.insert(tree_key(parse_expression(kernel, one)));
  }
  EXPECT_EQ(all_nearby(surrogate, grammar, true), expected);
}

}  // namespace
}  // namespace covary
