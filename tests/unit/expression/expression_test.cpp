#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/expression.h>

#include "unit/random_expression.h"

namespace covary {
namespace {

Expression parse(const std::string& text, std::size_t num_inputs = 1) {
  return parse_expression(text, InputNames::unnamed(num_inputs));
}

TEST(Expression, TextOfRandomTreesParsesBackToTheIdenticalTree) {
  Random random(1);
  const std::vector<InputNames> all_inputs = {
      InputNames::unnamed(1), InputNames::unnamed(4), InputNames({"Month"}),
      InputNames({"a", "wind speed", "`", "größe", "1", "CP", "a,b)", " ", "x\ny", "SE_1"})};
  for (int i = 0; i < 5000; ++i) {
    const InputNames& inputs = all_inputs[random.index(all_inputs.size())];
    const Expression tree =
        random_expression(random, 1 + random.index(12), inputs.size(), all_base_kernels());
    const std::string text = to_string(tree, inputs);
    const Expression again = parse_expression(text, inputs);
    ASSERT_TRUE(identical(tree, again)) << text;
    ASSERT_EQ(to_string(again, inputs), text);
  }
}

// No pair of brackets can be left out: without it the text means another tree.
TEST(Expression, PrintedBracketsAreAllNeeded) {
  Random random(2);
  const InputNames inputs = InputNames::unnamed(2);
  int num_pairs = 0;
  for (int i = 0; i < 2000; ++i) {
    const Expression tree = random_expression(random, 2 + random.index(6), 2, all_base_kernels());
    const std::string text = to_string(tree, inputs);
    for (std::size_t open = 0; open < text.size(); ++open) {
      const bool is_call = open > 0 && text[open - 1] >= '0' && text[open - 1] <= '9';
      if (text[open] != '(' || is_call) continue;
      std::size_t close = open;
      for (int level = 0; close < text.size(); ++close) {
        level += text[close] == '(' ? 1 : text[close] == ')' ? -1 : 0;
        if (level == 0) break;
      }
      std::string shorter = text;
      shorter.erase(close, 1).erase(open, 1);
      ASSERT_FALSE(identical(parse_expression(shorter, inputs), tree)) << text << " : " << shorter;
      ++num_pairs;
    }
  }
  EXPECT_GT(num_pairs, 500);
}

TEST(Expression, RandomTextIsParsedOrRefusedWithAColumnInsideIt) {
  Random random(3);
  const std::vector<std::string> pieces = {"SE", "LIN", "PER_1", "_",  "(",    ")", "+",
                                           "*",  "×",   " ",     ",",  "CP(",  "`", "7",
                                           "ö",  "x",   "\xff",  "\n", "MAT32"};
  const InputNames inputs({"x", "ö"});
  int num_parsed = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (std::size_t n = random.index(8); n > 0; --n) text += pieces[random.index(pieces.size())];
    try {
      const Expression tree = parse_expression(text, inputs);
      ASSERT_TRUE(identical(parse_expression(to_string(tree, inputs), inputs), tree)) << text;
      ++num_parsed;
    } catch (const ParseError& error) {
      ASSERT_GE(error.column(), 1U);
      ASSERT_LE(error.column(), text.size() + 1) << text;
      ASSERT_EQ(error.kind(), ErrorKind::usage);
    }
  }
  EXPECT_GT(num_parsed, 50);
}

TEST(Expression, HostileTextEndsInAnErrorNotInAnOverflow) {
  const std::string brackets(1'000'000, '(');
  EXPECT_THROW(parse(brackets), ParseError);
  std::string calls;
  for (int i = 0; i < 200'000; ++i) calls += "CP(";
  EXPECT_THROW(parse(calls), ParseError);
  std::string sum = "SE";
  for (std::size_t i = 1; i < Expression::max_leaves; ++i) sum += "+SE";
  EXPECT_EQ(parse(sum).num_leaves(), Expression::max_leaves);
  EXPECT_THROW(parse(sum + "*SE"), ParseError);
  EXPECT_THROW(parse(sum) + parse("SE"), Error);
}

TEST(Expression, CountsLeavesNodesDepthParametersAndInputs) {
  const Expression tree = parse("LIN_1 + CP_3(SE_2, PER_1)*RQ_1", 3);
  EXPECT_EQ(tree.num_leaves(), 4U);
  EXPECT_EQ(tree.num_nodes(), 7U);
  EXPECT_EQ(tree.depth(), 3U);
  EXPECT_EQ(tree.num_parameters(), 2U + 2U + 2U + 3U + 3U);
  EXPECT_EQ(tree.num_inputs_needed(), 3U);
}

TEST(Expression, SubtreesCanBeFoundAndReplacedByPreorderIndex) {
  const Expression tree = parse("LIN + SE*PER");
  const std::vector<std::string> preorder = {"LIN + SE*PER", "LIN", "SE*PER", "SE", "PER"};
  for (std::size_t i = 0; i < preorder.size(); ++i) {
    EXPECT_EQ(to_string(subtree(tree, i)), preorder[i]);
  }
  EXPECT_EQ(to_string(with_subtree(tree, 2, parse("RQ"))), "LIN + RQ");
  EXPECT_EQ(to_string(with_subtree(tree, 4, parse("RQ + SE"))), "LIN + SE*(RQ + SE)");

  Random random(4);
  for (int i = 0; i < 1000; ++i) {
    const Expression random_tree =
        random_expression(random, 1 + random.index(10), 3, all_base_kernels());
    const std::size_t index = random.index(random_tree.num_nodes());
    const Expression part = subtree(random_tree, index);
    ASSERT_TRUE(identical(with_subtree(random_tree, index, part), random_tree));
  }
}

TEST(Expression, LeavesComeFromLeftToRight) {
  std::string text;
  for (const BoundKernel& leaf : leaves(parse("LIN*(SE + PER) + RQ"))) {
    text += std::string(leaf.kernel->name) + " ";
  }
  EXPECT_EQ(text, "LIN SE PER RQ ");
}

TEST(Expression, StreamsAndDraws) {
  std::ostringstream stream;
  stream << parse("LIN + SE*PER");
  EXPECT_EQ(stream.str(), "LIN + SE*PER");
  EXPECT_EQ(draw_tree(parse("CP(LIN + SE, PER)"), InputNames::unnamed(1)),
            "CP\n├── ADD\n│   ├── LIN\n│   └── SE\n└── PER\n");
}

TEST(Expression, OperatorsBuildTheTreesThatTheTextMeans) {
  const Expression se = parse("SE");
  const Expression per = parse("PER");
  EXPECT_TRUE(identical(se + se * per, parse("SE + SE*PER")));
  EXPECT_TRUE(identical(change_point(se, per, 0), parse("CP(SE, PER)")));
}

}  // namespace
}  // namespace covary
