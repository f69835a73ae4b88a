// When nothing more is to be expected, as a function of what was expected and what came of it.
#include "search/stopping_rule.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace covary {
namespace {

constexpr double num_rows = 50.0;

// Histories of one kernel, since the rule looks at numbers alone; in nats, not per row.
class History {
 public:
  History& initial(std::optional<double> value) {
    records_.push_back(record(value));
    return *this;
  }
  History& proposed(double mean, double sd, std::optional<double> value) {
    SearchRecord one = record(value);
    one.predicted_mean = mean / num_rows;
    one.predicted_sd = sd / num_rows;
    records_.push_back(one);
    return *this;
  }
  std::optional<double> gain(const StoppingRule& rule) const {
    return expected_gain(records_, num_rows, rule);
  }

 private:
  static SearchRecord record(std::optional<double> value) {
    SearchRecord one{
        .index = 0, .kernel = parse_expression("SE", InputNames::unnamed(1)), .evidence = {}};
    one.evidence.value = value;
    return one;
  }
  std::vector<SearchRecord> records_;
};

constexpr StoppingRule three_ahead = {.num_ahead = 3};

// E max(sd z, 0) of a standard normal number z: what a kernel promises that is as good as the best
// by the surrogate's mean.
double promise(double sd) { return sd / std::sqrt(2.0 * std::acos(-1.0)); }

TEST(StoppingRule, SaysNothingBeforeItHasSeenEnoughProposals) {
  History history;
  EXPECT_FALSE(history.gain(three_ahead));
  history.initial(-10.0).initial(-5.0).initial(-20.0).initial(-7.0);
  EXPECT_FALSE(history.gain(three_ahead));
  history.proposed(-5.0, 1.0, -6.0).proposed(-5.0, 1.0, -6.0);
  EXPECT_FALSE(history.gain(three_ahead));
  history.proposed(-5.0, 1.0, -6.0);
  EXPECT_TRUE(history.gain(three_ahead));
}

TEST(StoppingRule, BelievesWhatWasPromisedAsFarAsPromisesWereKept) {
  History history;
  history.initial(-5.0);
  // The second brings two nats; of the others nothing comes.
  history.proposed(-5.0, 4.0, -6.0).proposed(-5.0, 1.0, -3.0);
  history.proposed(-3.0, 1.0, -3.5).proposed(-3.0, 1.0, -3.5);
  const double lately = 3.0 * promise(1.0);
  ASSERT_TRUE(history.gain(three_ahead));
  EXPECT_NEAR(*history.gain(three_ahead),
              lately * (0.4 + 2.0) / (2.0 + promise(4.0) + 3.0 * promise(1.0)), 1e-9);
}

TEST(StoppingRule, FallsWhilePromisesAreNotKept) {
  History history;
  history.initial(-5.0);
  for (int i = 0; i < 3; ++i) history.proposed(-5.0, 2.0, -8.0);
  double before = *history.gain(three_ahead);
  for (int i = 0; i < 30; ++i) {
    history.proposed(-5.0, 2.0, -8.0);
    const double now = *history.gain(three_ahead);
    EXPECT_LT(now, before);
    before = now;
  }
  history.proposed(-5.0, 2.0, -1.0);  // and rises again when one is
  EXPECT_GT(*history.gain(three_ahead), before);
}

TEST(StoppingRule, LooksAtTheLatestPromisesOnly) {
  History history;
  history.initial(-5.0);
  for (int i = 0; i < 5; ++i) history.proposed(-5.0, 2.0, -8.0);
  const double before = *history.gain(three_ahead);
  for (int i = 0; i < 3; ++i) history.proposed(-50.0, 0.1, -50.0);  // nobody expects anything
  EXPECT_GT(before, 0.1);
  EXPECT_LT(*history.gain(three_ahead), 1e-6);
}

TEST(StoppingRule, FailedKernelsBringNothingAndAreNoBest) {
  History history;
  history.initial(std::nullopt).initial(-5.0);
  for (int i = 0; i < 3; ++i) history.proposed(-5.0, 2.0, std::nullopt);
  History others;
  others.initial(-5.0);
  for (int i = 0; i < 3; ++i) others.proposed(-5.0, 2.0, -9.0);
  EXPECT_EQ(history.gain(three_ahead), others.gain(three_ahead));
}

TEST(StoppingRule, WhatIsTooLittleGrowsWithTheRowsWhereThereAreMany) {
  for (const double rows : {10.0, 20.0, 40.0}) {
    EXPECT_TRUE(is_too_little(0.19, rows));
    EXPECT_FALSE(is_too_little(0.21, rows));
  }
  EXPECT_TRUE(is_too_little(4.9, 1000.0));
  EXPECT_FALSE(is_too_little(5.1, 1000.0));
}

TEST(StoppingRule, IsInNatsWhateverTheNumberOfRows) {
  // The same promises per row are more nats of more rows.
  std::vector<SearchRecord> records;
  for (int i = 0; i < 5; ++i) {
    SearchRecord one{
        .index = 0, .kernel = parse_expression("SE", InputNames::unnamed(1)), .evidence = {}};
    one.evidence.value = 0.0;
    if (i > 0) one.predicted_mean = 0.0;
    if (i > 0) one.predicted_sd = 1e-3;
    records.push_back(one);
  }
  const double few = *expected_gain(records, 10.0, three_ahead);
  const double many = *expected_gain(records, 1000.0, three_ahead);
  EXPECT_GT(many, 10.0 * few);
}

}  // namespace
}  // namespace covary
