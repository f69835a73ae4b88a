#include "evidence/warm_start.h"

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/grammar.h>

namespace covary {
namespace {

Expression parse(const std::string& text) {
  return parse_expression(text, InputNames::unnamed(text.find("_2") == std::string::npos ? 1 : 2));
}

// Parameters 1, 2, 3, ... of `from`, carried over to `to`; 0 where nothing was known.
std::vector<double> transfer(const std::string& to, const std::string& from) {
  const Expression parent = parse(from);
  std::vector<double> parameters(parent.num_parameters() + 1);
  std::iota(parameters.begin(), parameters.end(), 1.0);
  std::vector<double> result = transferred_parameters(parse(to), {parent, parameters});
  for (double& value : result) value = std::isnan(value) ? 0.0 : value;
  return result;
}

TEST(WarmStart, TheSameKernelKeepsEverything) {
  EXPECT_EQ(transfer("LIN + SE", "LIN + SE"), (std::vector<double>{1, 2, 3, 4, 5}));
  EXPECT_EQ(transfer("CP(SE, LIN)", "CP(SE, LIN)"), (std::vector<double>{1, 2, 3, 4, 5, 6, 7}));
}

TEST(WarmStart, SwappedSidesAreFound) {
  EXPECT_EQ(transfer("SE + LIN", "LIN + SE"), (std::vector<double>{3, 4, 1, 2, 5}));
}

TEST(WarmStart, AJoinedKernelLeavesTheNewOneOpen) {
  EXPECT_EQ(transfer("LIN + SE*PER", "LIN + SE"), (std::vector<double>{1, 2, 3, 4, 0, 0, 0, 5}));
  EXPECT_EQ(transfer("(LIN + SE)*RQ", "LIN + SE"), (std::vector<double>{1, 2, 3, 4, 0, 0, 0, 5}));
}

TEST(WarmStart, AnExchangedLeafKeepsWhatBothHave) {
  // The variance; PER's lengthscale is the shape of its period, SE's a length on the input.
  EXPECT_EQ(transfer("LIN + PER", "LIN + SE"), (std::vector<double>{1, 2, 0, 4, 0, 5}));
  EXPECT_EQ(transfer("LIN + RQ", "LIN + SE"), (std::vector<double>{1, 2, 3, 4, 0, 5}));
}

TEST(WarmStart, KernelsWithNothingInCommonGiveNothing) {
  EXPECT_TRUE(transfer("SE_2", "SE").empty());
  EXPECT_TRUE(transfer("PER_2*RQ_2", "SE + LIN").empty());
}

TEST(WarmStart, EveryNeighbourKeepsAllLeavesButOne) {
  Random random(1);
  const Grammar grammar(make_search_space({.operators = "+,*,CP"}, InputNames::unnamed(1)));
  Expression tree = grammar.start_kernels()[0];
  for (int i = 0; i < 300; ++i) {
    if (tree.num_leaves() > 6) tree = grammar.start_kernels()[0];
    const Expression next = *grammar.random_neighbour(tree, random);
    const std::vector<double> known =
        transferred_parameters(next, {tree, std::vector<double>(tree.num_parameters() + 1, 1.0)});
    std::size_t num_known = 0;
    for (const double value : known) num_known += std::isnan(value) ? 0U : 1U;
    // At most one base kernel (3 parameters) and one operator (2) are new.
    if (tree.num_leaves() > 1) {
      ASSERT_GE(num_known + 5, next.num_parameters() + 1) << next;
    }
    tree = next;
  }
}

}  // namespace
}  // namespace covary
