#include "search/first_sentences.h"

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
      EXPECT_LE(kernel.num_leaves(), space.max_leaves);
      EXPECT_TRUE(found.insert(to_string(kernel)).second) << kernel;
    }
    for (const Expression& probe : probe_kernels(space)) {
      EXPECT_TRUE(found.contains(to_string(probe))) << probe;
    }
    return found;
  };
  using Texts = std::set<std::string>;
  EXPECT_EQ(texts({.space = "SE,LIN,YEAR,MAT32"}, 1),
            (Texts{"LIN + SE", "LIN + YEAR*SE", "YEAR*SE + SE + LIN", "MAT32 + LIN",
                   "YEAR*MAT32 + MAT32 + LIN", "LIN + YEAR + SE + MAT32"}));
  EXPECT_EQ(texts({.space = "SE,LIN"}, 1), (Texts{"LIN + SE"}));
  EXPECT_EQ(texts({.space = "PER"}, 1), (Texts{"PER"}));
  EXPECT_EQ(texts({.space = "SE,LIN"}, 2),
            (Texts{"SE_1 + SE_2", "SE_1*SE_2", "LIN_1 + LIN_2 + SE_1*SE_2"}));
  for (const std::size_t most : {1U, 2U, 3U}) texts({.max_leaves = most}, 2);
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
