#include "grammar/grammar_graph.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include <covary/grammar.h>

namespace covary {
namespace {

Expression kernel(const char* text) { return parse_expression(text, InputNames::unnamed(1)); }

Grammar small_grammar() {
  return Grammar(make_search_space({.space = "SE,LIN"}, InputNames::unnamed(1)));
}

TEST(GrammarGraph, CountsOperationsOnShortestPaths) {
  const std::vector<Expression> kernels = {kernel("SE"), kernel("SE + LIN"),
                                           kernel("(SE + LIN)*LIN"), kernel("LIN"),
                                           kernel("SE*SE*SE*SE")};
  const GrammarGraph graph(small_grammar(), kernels);
  // SE and LIN are one exchange apart; nothing in the set leads to the last one.
  EXPECT_EQ(graph.path_lengths(0),
            (std::vector<std::size_t>{0, 1, 2, 1, GrammarGraph::unreachable}));
  // Against the direction of the operations, from what was made to what it was made of.
  EXPECT_EQ(graph.path_lengths(2),
            (std::vector<std::size_t>{2, 1, 0, 2, GrammarGraph::unreachable}));
}

TEST(GrammarGraph, IsAMetricOnGrownKernelsAndReachesAllOfThem) {
  const Grammar grammar(make_search_space({}, InputNames::unnamed(2)));
  Random random(3);
  const std::vector<Expression> kernels = grammar.grow(grammar.start_kernels(), 80, random);
  const GrammarGraph graph(grammar, kernels);
  std::vector<std::vector<std::size_t>> lengths;
  for (std::size_t i = 0; i < kernels.size(); ++i) lengths.push_back(graph.path_lengths(i));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    for (std::size_t j = 0; j < kernels.size(); ++j) {
      EXPECT_EQ(lengths[i][j] == 0, same_tree(kernels[i], kernels[j]));
      EXPECT_EQ(lengths[i][j], lengths[j][i]);
      // Base kernels are one exchange apart, and every other kernel was made from one of them.
      ASSERT_NE(lengths[i][j], GrammarGraph::unreachable);
      for (std::size_t k = 0; k < kernels.size(); ++k) {
        ASSERT_LE(lengths[i][j], lengths[i][k] + lengths[k][j]);
      }
    }
  }
}

}  // namespace
}  // namespace covary
