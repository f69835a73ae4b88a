#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/dataset.h>

#include "error_of.h"

namespace covary {
namespace {

// The target of row i is i, so that rows can be told apart.
Dataset numbered(std::size_t num_rows) {
  std::vector<double> values(num_rows);
  for (std::size_t i = 0; i < num_rows; ++i) values[i] = static_cast<double>(i);
  return {{values}, values, {Scaling{}}, Scaling{}, std::string(32, '0'), {}};
}

std::vector<std::size_t> rows_of(const Dataset& data) {
  std::vector<std::size_t> rows;
  for (const double value : data.target()) rows.push_back(static_cast<std::size_t>(value));
  return rows;
}

TEST(SplitRows, WithoutWishesEverythingIsForTraining) {
  const Split split = split_rows(numbered(10), {});
  EXPECT_EQ(split.training.num_rows(), 10U);
  EXPECT_FALSE(split.holdout.has_value());
}

TEST(SplitRows, TrainingAndHoldoutAreDisjointAndInTheOrderOfTheFile) {
  const Dataset data = numbered(30);
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const Split split = split_rows(data, {.rows = 12, .holdout = 10, .seed = seed});
    const std::vector<std::size_t> training = rows_of(split.training);
    ASSERT_TRUE(split.holdout.has_value());
    const std::vector<std::size_t> holdout = rows_of(*split.holdout);
    ASSERT_EQ(training.size(), 12U);
    ASSERT_EQ(holdout.size(), 10U);
    ASSERT_TRUE(std::is_sorted(training.begin(), training.end()));
    ASSERT_TRUE(std::is_sorted(holdout.begin(), holdout.end()));
    std::set<std::size_t> all(training.begin(), training.end());
    all.insert(holdout.begin(), holdout.end());
    ASSERT_EQ(all.size(), 22U);
    ASSERT_LT(*all.rbegin(), 30U);
  }
}

TEST(SplitRows, WithoutRowsTheRestIsForTraining) {
  const Split split = split_rows(numbered(10), {.holdout = 4, .seed = 3});
  EXPECT_EQ(split.training.num_rows(), 6U);
  EXPECT_EQ(split.holdout->num_rows(), 4U);
  const Split same = split_rows(numbered(10), {.rows = 6, .holdout = 4, .seed = 3});
  EXPECT_EQ(rows_of(same.training), rows_of(split.training));
}

TEST(SplitRows, TheSameSeedGivesTheSameRowsWhateverIsHeldOut) {
  const Dataset data = numbered(100);
  const auto training = rows_of(split_rows(data, {.rows = 50, .seed = 7}).training);
  EXPECT_EQ(rows_of(split_rows(data, {.rows = 50, .seed = 7}).training), training);
  EXPECT_EQ(rows_of(split_rows(data, {.rows = 50, .holdout = 20, .seed = 7}).training), training);
  EXPECT_NE(rows_of(split_rows(data, {.rows = 50, .seed = 8}).training), training);
}

TEST(SplitRows, EveryRowIsEquallyLikely) {
  constexpr std::size_t num_rows = 10;
  constexpr double num_seeds = 20000;
  const Dataset data = numbered(num_rows);
  std::vector<double> num_training(num_rows);
  std::vector<double> num_holdout(num_rows);
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(num_seeds); ++seed) {
    const Split split = split_rows(data, {.rows = 4, .holdout = 3, .seed = seed});
    for (const std::size_t row : rows_of(split.training)) num_training[row] += 1.0;
    for (const std::size_t row : rows_of(*split.holdout)) num_holdout[row] += 1.0;
  }
  const auto expect_share = [&](double count, double share) {
    EXPECT_NEAR(count, share * num_seeds, 5.0 * std::sqrt(num_seeds * share * (1.0 - share)));
  };
  for (const double count : num_training) expect_share(count, 0.4);
  for (const double count : num_holdout) expect_share(count, 0.3);
}

TEST(SplitRows, WishesThatCannotBeMetAreUsageErrors) {
  const Dataset data = numbered(144);
  const auto usage = [&](const SplitOptions& options) {
    return error_of(ErrorKind::usage, [&] { split_rows(data, options); });
  };
  EXPECT_EQ(usage({.rows = 500, .holdout = 100}),
            "--rows 500 and --holdout 100 need 600 rows; the table has 144");
  EXPECT_EQ(usage({.rows = 100, .holdout = 45}),
            "--rows 100 and --holdout 45 need 145 rows; the table has 144");
  EXPECT_EQ(usage({.rows = 145}), "--rows 145 is more than the 144 rows of the table");
  EXPECT_EQ(usage({.rows = 2}), "rows must be a whole number of at least 3, not 2");
  EXPECT_EQ(usage({.holdout = 0}), "holdout must be a whole number of at least 1, not 0");
  EXPECT_EQ(usage({.holdout = 142}),
            "--holdout 142 leaves 2 of 144 rows for training; at least 3 are needed");
  EXPECT_EQ(usage({.holdout = 145}), "--holdout 145 is more than the 144 rows of the table");
  usage({.rows = 3, .holdout = std::numeric_limits<std::size_t>::max()});
  EXPECT_EQ(split_rows(data, {.rows = 100, .holdout = 44}).holdout->num_rows(), 44U);
  EXPECT_EQ(split_rows(data, {.rows = 144}).training.num_rows(), 144U);
}

}  // namespace
}  // namespace covary
