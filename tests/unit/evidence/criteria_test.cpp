// The table of criteria, and words of what fits come to.
#include <string>

#include <gtest/gtest.h>

#include <covary/evidence.h>

#include "evidence/criteria/criterion_rule.h"

namespace covary {
namespace {

TEST(Criteria, EachHasAWordOfItsOwnThatLeadsBackToIt) {
  for (const CriterionRule& rule : criterion_rules()) {
    EXPECT_EQ(to_string(rule.criterion), rule.word);
    EXPECT_EQ(criterion_from(rule.word), rule.criterion) << rule.word;
  }
  EXPECT_EQ(criterion_from("nothing"), std::nullopt);
}

TEST(FitOutcome, EachHasAWordOfItsOwnThatLeadsBackToIt) {
  for (const FitOutcome outcome :
       {FitOutcome::converged, FitOutcome::stuck, FitOutcome::iteration_limit,
        FitOutcome::time_limit, FitOutcome::interrupted, FitOutcome::not_positive_definite,
        FitOutcome::failed, FitOutcome::out_of_memory}) {
    EXPECT_EQ(fit_outcome_from(to_string(outcome)), outcome) << to_string(outcome);
  }
}

}  // namespace
}  // namespace covary
