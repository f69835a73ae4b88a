// When some of the rows cannot say which of two kernels is the better one of all.
#include "search/undecided.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>

#include "unit/series.h"

namespace covary {
namespace {

std::vector<double> draws(std::size_t count, Random& random) {
  std::vector<double> values(count);
  for (double& value : values) value = 0.3 + 0.5 * random.normal();
  return values;
}

TEST(ExpectedLead, IsWhatWasJudgedAndWhatTheOtherRowsWillAdd) {
  Random random(1);
  const std::vector<double> differences = draws(20'000, random);
  const ExpectedLead lead = expected_lead(7.0, differences, false, 400.0, 10'400.0, 0.0);
  EXPECT_NEAR(lead.lead, 7.0 + 10'000.0 * 0.3, 150.0);
  EXPECT_NEAR(lead.standard_error, 10'000.0 * 0.5 * std::sqrt(1.0 / 20'000.0 + 1.0 / 10'000.0),
              1.0);
  const ExpectedLead in_order = expected_lead(7.0, differences, true, 400.0, 10'400.0, 0.0);
  EXPECT_NEAR(in_order.standard_error, lead.standard_error, 0.1 * lead.standard_error)
      << "neighbours that do not depend on each other";
  const ExpectedLead of_all = expected_lead(7.0, differences, false, 400.0, 400.0, 3.0);
  EXPECT_EQ(of_all.lead, 7.0);
  EXPECT_EQ(of_all.standard_error, 0.0) << "all rows leave nothing open";
}

TEST(ExpectedLead, IsLessForEveryParameterThatWasFittedToFewRows) {
  const std::vector<double> differences(100, 0.1);
  const double none = expected_lead(1.0, differences, false, 100.0, 300.0, 0.0).lead;
  EXPECT_NEAR(none - expected_lead(1.0, differences, false, 100.0, 300.0, 2.0).lead,
              2.0 + std::log(3.0), 1e-12);
}

TEST(ExpectedLead, IsLessCertainWhereNeighboursSayTheSame) {
  Random random(2);
  std::vector<double> differences;
  for (const double value : draws(2000, random)) differences.insert(differences.end(), 10, value);
  const double apart = expected_lead(0.0, differences, false, 400.0, 1e6, 0.0).standard_error;
  const double in_order = expected_lead(0.0, differences, true, 400.0, 1e6, 0.0).standard_error;
  EXPECT_NEAR(in_order / apart, std::sqrt(10.0), 0.5);
}

Finalist finalist(const std::string& kernel, std::vector<double> parameters, double value,
                  std::size_t rows) {
  Evidence evidence;
  evidence.value = value;
  evidence.parameters = std::move(parameters);
  evidence.rows = rows;
  return {parse_expression(kernel, InputNames::unnamed(1)), evidence};
}

TEST(Undecided, AreThoseThatMayBeBetterOnTheRowsThatWereNotAsked) {
  const Dataset data = series(
      300, [](int i) { return 0.01 * i; },
      [](int i) { return std::sin(0.2 * i) + 0.1 * std::cos(7.0 * i * i); });
  const std::vector<double> too_noisy = {0.05, 1.0, 0.05};
  for (const std::size_t judged : {100U, 300U}) {
    std::vector<Finalist> finalists = {finalist("SE", too_noisy, 100.0, judged),
                                       finalist("SE", {0.05, 1.0, 0.01}, 99.9, judged),
                                       finalist("SE", {0.3, 1.0, 0.5}, -40.0, judged)};
    const FittedModel model(finalists[0].kernel, too_noisy, data);
    note_undecided(finalists, data, model, MeanFunction::zero, {});
    EXPECT_FALSE(finalists[0].is_undecided);
    EXPECT_EQ(finalists[1].is_undecided, judged < 300) << "all rows decide";
    EXPECT_FALSE(finalists[2].is_undecided);
  }
}

}  // namespace
}  // namespace covary
