#include "grammar/structure_prior.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace covary {
namespace {

SearchSpace space_of(const std::string& kernels, const std::string& operators,
                     std::size_t max_leaves) {
  return make_search_space({.space = kernels, .operators = operators, .max_leaves = max_leaves},
                           InputNames::unnamed(2));
}

Expression parsed(const std::string& text) {
  return parse_expression(text, InputNames::unnamed(2));
}

void collect_operands(const Expression& expression, const BoundOperator& op,
                      std::vector<std::string>& operands);

// Equal for kernels that differ in the order of terms and factors only.
std::string key_of(const Expression& expression) {
  if (expression.is_leaf()) return to_string(expression);
  const BoundOperator& op = expression.op();
  std::vector<std::string> operands;
  if (op.op->is_commutative) {
    collect_operands(expression, op, operands);
    std::sort(operands.begin(), operands.end());
  } else {
    operands = {key_of(expression.left()), key_of(expression.right())};
  }
  std::string key = std::string(op.op->name) + std::to_string(op.column) + "(";
  for (const std::string& operand : operands) key += operand + ",";
  return key + ")";
}

void collect_operands(const Expression& expression, const BoundOperator& op,
                      std::vector<std::string>& operands) {
  if (expression.is_leaf() || !(expression.op() == op)) {
    operands.push_back(key_of(expression));
    return;
  }
  collect_operands(expression.left(), op, operands);
  collect_operands(expression.right(), op, operands);
}

// Every kernel of the space, by the number of its base kernels.
std::vector<std::map<std::string, Expression>> all_kernels(const SearchSpace& space) {
  std::vector<std::map<std::string, Expression>> all(space.max_leaves + 1);
  for (const BoundKernel& kernel : space.base_kernels) {
    all[1].emplace(key_of(Expression(kernel)), Expression(kernel));
  }
  for (std::size_t n = 2; n <= space.max_leaves; ++n) {
    for (std::size_t left = 1; left < n; ++left) {
      for (const auto& [a, first] : all[left]) {
        for (const auto& [b, second] : all[n - left]) {
          for (const BoundOperator& op : space.operators) {
            const Expression whole = Expression::join(op, first, second);
            all[n].emplace(key_of(whole), whole);
          }
        }
      }
    }
  }
  return all;
}

TEST(StructurePrior, KernelsAreCountedAsTheyCanBeListed) {
  for (const SearchSpace& space :
       {space_of("SE_1,LIN_1", "+,*", 5), space_of("SE_1,SE_2,LIN_2", "+,*,CP_1", 4),
        space_of("SE_1,PER_2", "+", 6), space_of("SE_1", "+,*,CP_1,CP_2", 4)}) {
    const auto listed = all_kernels(space);
    const std::vector<double> counted = count_kernels(space);
    ASSERT_EQ(counted.size(), listed.size());
    for (std::size_t n = 1; n < listed.size(); ++n) {
      EXPECT_DOUBLE_EQ(counted[n], static_cast<double>(listed[n].size())) << n;
    }
  }
}

TEST(StructurePrior, ProbabilitiesOfAllKernelsAddUpToOne) {
  const SearchSpace space = space_of("SE_1,LIN_1,PER_2", "+,*", 4);
  const StructurePrior prior(space, {parsed("LIN_1 + SE_1"), parsed("LIN_1 + SE_1*PER_2")},
                             {parsed("LIN_1*PER_2 + SE_1")});
  double sum = 0.0;
  for (const auto& kernels : all_kernels(space)) {
    for (const auto& [key, kernel] : kernels) {
      // A sentence in other words is a kernel of its own here, and as likely.
      const bool is_in_other_words = key != key_of(parsed("LIN_1 + SE_1*PER_2")) &&
                                     same_polynomial(kernel, parsed("LIN_1 + SE_1*PER_2"));
      ASSERT_FALSE(is_in_other_words) << kernel;
      sum += std::exp(prior.log_probability(kernel));
    }
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
}

TEST(StructurePrior, RareSentencesStandBetweenUsualOnesAndTheRest) {
  const SearchSpace space = space_of("SE_1,LIN_1,PER_2", "+,*", 4);
  const StructurePrior prior(space, {parsed("LIN_1 + SE_1")}, {parsed("LIN_1*PER_2 + SE_1")});
  const double rare = prior.log_probability(parsed("SE_1 + PER_2*LIN_1"));
  EXPECT_LT(rare, prior.log_probability(parsed("LIN_1 + SE_1")) - 1.0);
  EXPECT_GT(rare, prior.log_probability(parsed("LIN_1*PER_2 + LIN_1")) + 1.0);
}

TEST(StructurePrior, DoesNotDependOnTheOrderOfWords) {
  const SearchSpace space = space_of("SE_1,LIN_1,PER_2", "+,*", 6);
  const StructurePrior prior(space, {parsed("LIN_1 + SE_1*PER_2")}, {});
  const double sentence = prior.log_probability(parsed("LIN_1 + SE_1*PER_2"));
  EXPECT_EQ(prior.log_probability(parsed("PER_2*SE_1 + LIN_1")), sentence);
  EXPECT_EQ(prior.log_probability(parsed("SE_1 + LIN_1")),
            prior.log_probability(parsed("LIN_1 + SE_1")));
  // What nobody would say first costs words: the more there are, the more.
  double last = prior.log_probability(parsed("SE_1"));
  EXPECT_LT(last, sentence);
  for (const std::string text :
       {"SE_1 + PER_2", "SE_1 + PER_2 + LIN_1", "(SE_1 + PER_2)*LIN_1 + SE_1"}) {
    EXPECT_LT(prior.log_probability(parsed(text)), last) << text;
    last = prior.log_probability(parsed(text));
  }
}

}  // namespace
}  // namespace covary
