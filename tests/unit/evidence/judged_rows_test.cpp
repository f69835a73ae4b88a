#include "evidence/judged_rows.h"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <covary/evidence.h>
#include <covary/random.h>

namespace covary {
namespace {

// Rows in no order: a curve is sorted by its input, whatever the file is.
Dataset shuffled_data(std::size_t num_rows, std::size_t num_inputs) {
  Random random(num_rows);
  std::vector<std::vector<double>> inputs(num_inputs);
  std::vector<Scaling> scalings;
  for (std::size_t c = 0; c < num_inputs; ++c) {
    for (std::size_t i = 0; i < num_rows; ++i) inputs[c].push_back(random.uniform());
    scalings.push_back({.name = fmt::format("x{}", c)});
  }
  std::vector<double> y;
  for (std::size_t i = 0; i < num_rows; ++i) y.push_back(random.normal());
  return {inputs, y, scalings, {.name = "y"}, "", {}};
}

TEST(JudgedRows, AreDifferentRowsInOrderAndTheSameEveryTime) {
  for (const std::size_t num_inputs : {1U, 3U}) {
    const Dataset data = shuffled_data(2000, num_inputs);
    for (const std::size_t count : {10U, 500U, 1999U}) {
      const std::vector<std::size_t> rows = judged_rows(data, count);
      EXPECT_EQ(rows.size(), count);
      EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
      EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
      EXPECT_LT(rows.back(), data.num_rows());
      EXPECT_EQ(rows, judged_rows(data, count));
    }
    EXPECT_EQ(judged_rows(data, 5000).size(), 2000U);
  }
}

// Half of the rows of a curve are neighbours, and the others leave no large gap.
TEST(JudgedRows, OfACurveShowWhatIsShortAndWhatIsLong) {
  const Dataset data = shuffled_data(4000, 1);
  std::vector<double> sorted(data.input(0).begin(), data.input(0).end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::size_t> places;
  for (const std::size_t row : judged_rows(data, 400)) {
    const auto place = std::lower_bound(sorted.begin(), sorted.end(), data.input(0)[row]);
    places.push_back(static_cast<std::size_t>(place - sorted.begin()));
  }
  std::sort(places.begin(), places.end());
  std::size_t longest_gap = places.front();
  std::size_t run = 1;
  std::size_t longest_run = 1;
  for (std::size_t i = 1; i < places.size(); ++i) {
    longest_gap = std::max(longest_gap, places[i] - places[i - 1]);
    run = places[i] == places[i - 1] + 1 ? run + 1 : 1;
    longest_run = std::max(longest_run, run);
  }
  EXPECT_GE(longest_run, 200U);
  EXPECT_LE(longest_gap, 2U * 3800 / 200);
}

// Priors and periods are what all rows say, so that evidences of a rung are of one model.
TEST(JudgedRows, EvidenceSaysOnHowManyRowsItIs) {
  const Dataset data = shuffled_data(300, 1);
  const Expression kernel = parse_expression("LIN", InputNames::unnamed(1));
  EvidenceOptions options;
  EXPECT_EQ(make_oracle(data, options)->evaluate(kernel).rows, 300U);
  options.judged_rows = 60;
  const Evidence few = make_oracle(data, options)->evaluate(kernel);
  EXPECT_EQ(few.rows, 60U);
  options.judged_rows = 0;
  const Dataset sample = data.rows(judged_rows(data, 60));
  const Evidence same = make_oracle(sample, options)->evaluate(kernel);
  ASSERT_TRUE(few.value && same.value);
  EXPECT_NEAR(few.log_marginal_likelihood, same.log_marginal_likelihood, 0.5);
}

}  // namespace
}  // namespace covary
