#include "search/first_sentences.h"

#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

namespace covary {
namespace {

TEST(FirstSentences, ProbesStayInsideOfTheSpace) {
  const auto texts = [](const SearchSpaceOptions& options, std::size_t num_inputs) {
    std::set<std::string> found;
    for (const Expression& kernel :
         probe_kernels(make_search_space(options, InputNames::unnamed(num_inputs)))) {
      found.insert(to_string(kernel));
    }
    return found;
  };
  using Texts = std::set<std::string>;
  EXPECT_EQ(texts({}, 1), (Texts{"LIN + SE", "LIN + PER*SE"}));
  EXPECT_EQ(texts({.space = "SE,RQ"}, 1), (Texts{"SE"}));
  EXPECT_EQ(texts({.space = "LIN"}, 1), (Texts{"LIN"}));
  EXPECT_EQ(texts({.operators = "+"}, 1), (Texts{"LIN + SE", "LIN + PER"}));
  EXPECT_EQ(texts({.max_leaves = 2}, 1), (Texts{"LIN + SE", "LIN"}));
  EXPECT_EQ(texts({}, 2), (Texts{"SE_1 + SE_2", "SE_1*SE_2"}));
}

TEST(FirstSentences, AreWhatTheSpaceHasWordsForAndTheProbesAreAmongThem) {
  const auto texts = [](const SearchSpaceOptions& options, std::size_t num_inputs) {
    const SearchSpace space = make_search_space(options, InputNames::unnamed(num_inputs));
    std::set<std::string> found;
    for (const Expression& kernel : first_sentences(space).usual) {
      EXPECT_LE(kernel.num_leaves(), space.max_leaves * num_inputs);
      EXPECT_TRUE(found.insert(to_string(kernel)).second) << kernel;
    }
    for (const Expression& probe : probe_kernels(space)) {
      EXPECT_TRUE(found.contains(to_string(probe))) << probe;
    }
    return found;
  };
  using Texts = std::set<std::string>;
  EXPECT_EQ(texts({.space = "SE,LIN,YEAR,MAT32"}, 1),
            (Texts{"LIN", "YEAR", "LIN + YEAR", "LIN + SE", "LIN + YEAR*SE", "YEAR*SE + SE + LIN",
                   "MAT32 + LIN", "YEAR*MAT32 + MAT32 + LIN", "LIN + YEAR + SE + MAT32"}));
  EXPECT_EQ(texts({.space = "SE,LIN"}, 1), (Texts{"LIN", "SE", "LIN + SE"}));
  EXPECT_EQ(texts({.space = "PER"}, 1), (Texts{"PER"}));
  EXPECT_EQ(
      texts({.space = "SE,LIN"}, 2),
      (Texts{"SE_1 + SE_2", "SE_1*SE_2", "LIN_1 + LIN_2 + SE_1*SE_2", "SE_1 + SE_2 + SE_1*SE_2"}));
  EXPECT_EQ(texts({.space = "SE,LIN,MAT32"}, 2),
            (Texts{"SE_1 + SE_2", "SE_1*SE_2", "LIN_1 + LIN_2 + SE_1*SE_2", "MAT32_1 + MAT32_2",
                   "MAT32_1*MAT32_2", "LIN_1 + LIN_2 + MAT32_1*MAT32_2",
                   "SE_1 + SE_2 + MAT32_1*MAT32_2", "SE_1*SE_2 + MAT32_1*MAT32_2"}));
  for (const std::size_t most : {1U, 2U, 3U}) texts({.max_leaves = most}, 2);
}

TEST(FirstSentences, SayAllCyclesOfTheCalendarAtOnceAndInFull) {
  const auto with_both = [](const SearchSpaceOptions& options) {
    std::set<std::string> found;
    const SearchSpace space = make_search_space(options, InputNames::unnamed(1));
    for (const Expression& kernel : first_sentences(space).usual) {
      const std::string text = to_string(kernel);
      if (text.find("DAY") != std::string::npos && text.find("YEAR") != std::string::npos)
        found.insert(text);
    }
    return found;
  };
  using Texts = std::set<std::string>;
  // The shortest one first, in whatever order they are offered.
  EXPECT_EQ(with_both({.space = "SE,LIN,YEAR,DAY"}),
            (Texts{"DAY + YEAR + SE + LIN", "DAY*SE + YEAR*SE + SE + LIN",
                   "DAY + YEAR + DAY*YEAR*SE + SE + LIN", "DAY*YEAR + SE + LIN"}));
  EXPECT_EQ(with_both({.space = "SE,LIN,YEAR,DAY", .max_leaves = 6}),
            (Texts{"DAY + YEAR + SE + LIN", "DAY*SE + YEAR*SE + SE + LIN", "DAY*YEAR + SE + LIN"}));
  EXPECT_EQ(with_both({.space = "SE,LIN,YEAR"}), Texts{});
}

// Whoever asks for few base kernels gets few for each input.
TEST(FirstSentences, OfManyInputsSayAsManyWordsOfEachAsThereAreBaseKernelsInOne) {
  const auto most = [](std::size_t max_leaves, std::size_t num_inputs) {
    const SearchSpace space = make_search_space({.space = "SE,LIN,MAT32", .max_leaves = max_leaves},
                                                InputNames::unnamed(num_inputs));
    std::size_t leaves = 0;
    for (const Expression& kernel : first_sentences(space).usual) {
      leaves = std::max(leaves, kernel.num_leaves());
    }
    return leaves;
  };
  EXPECT_EQ(most(1, 7), 7U);
  EXPECT_EQ(most(2, 7), 14U);
  EXPECT_EQ(most(10, 20), 40U);
  EXPECT_EQ(most(10, 30), 30U);   // two words would be sixty base kernels
  EXPECT_EQ(most(10, 100), 48U);  // and here the last inputs are left to the search
}

TEST(FirstSentences, RareOnesAreSaidInFullOrNotAtAll) {
  const auto texts = [](const SearchSpaceOptions& options) {
    const SearchSpace space = make_search_space(options, InputNames::unnamed(1));
    std::set<std::string> found;
    for (const Expression& kernel : first_sentences(space).rare) found.insert(to_string(kernel));
    return found;
  };
  using Texts = std::set<std::string>;
  const std::string words = "SE,LIN,YEAR,MAT32,WN";
  EXPECT_EQ(texts({.space = words, .operators = "+,*,CP"}),
            (Texts{"LIN*WN + SE + LIN", "LIN*WN + YEAR*SE + SE + LIN", "CP(LIN, LIN)"}));
  EXPECT_EQ(texts({.space = words, .operators = "+,*", .max_leaves = 4}),
            (Texts{"LIN*WN + SE + LIN"}));
  EXPECT_EQ(texts({.space = words, .operators = "+"}), Texts());
  EXPECT_EQ(texts({.space = "LIN,WN", .operators = "+,*,CP"}), (Texts{"CP(LIN, LIN)"}));
  EXPECT_EQ(texts({.space = "SE,PER,WN", .operators = "+,*,CP"}), Texts());
}

}  // namespace
}  // namespace covary
