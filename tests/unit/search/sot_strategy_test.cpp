#include "search/sot_strategy.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

namespace covary {
namespace {

struct Steps {
  std::size_t num_nearby = 0;  // proposals no larger than the best kernel so far
  std::size_t num_others = 0;
};

// Proposals with odd and with even index, two kernels under way; a kernel is the better the larger
// it is, so that what is left to the surrogate grows.
std::vector<Steps> steps_with(Acquisition acquisition) {
  const Grammar grammar(make_search_space({}, InputNames::unnamed(1)));
  SearchOptions options;
  options.acquisition = acquisition;
  SotStrategy strategy(grammar, options);
  Random random(1);
  std::vector<Expression> kernels = grammar.initial_kernels(2, random);
  std::size_t largest = 0;
  std::size_t num_known = 0;
  const auto learn = [&](std::size_t count) {
    for (; num_known < count; ++num_known) {
      const std::size_t size = kernels[num_known].num_leaves();
      strategy.add(kernels[num_known], 0.1 * static_cast<double>(size));
      largest = std::max(largest, size);
    }
  };
  std::vector<Steps> steps(2);
  while (kernels.size() < 32) {
    learn(kernels.size() - 1);
    strategy.update(random);
    const std::optional<StrategyProposal> next = strategy.propose({&kernels.back(), 1}, random);
    if (!next) break;
    Steps& of_parity = steps[kernels.size() % 2];
    ++(next->kernel.num_leaves() <= largest ? of_parity.num_nearby : of_parity.num_others);
    kernels.push_back(next->kernel);
  }
  return steps;
}

TEST(SotStrategy, EverySecondProposalIsASmallChangeOfTheBestKernel) {
  const std::vector<Steps> steps = steps_with(Acquisition::informed);
  EXPECT_EQ(steps[1].num_nearby, 10U);
  EXPECT_EQ(steps[1].num_others, 0U);
  EXPECT_GT(steps[0].num_others, 0U);
}

TEST(SotStrategy, ThePapersAcquisitionLeavesEveryProposalToTheSurrogate) {
  const std::vector<Steps> steps = steps_with(Acquisition::paper);
  EXPECT_GT(steps[0].num_others, 0U);
  EXPECT_GT(steps[1].num_others, 0U);
}

}  // namespace
}  // namespace covary
