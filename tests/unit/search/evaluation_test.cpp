// One kernel judged by itself: on few rows first, where there are many.
#include <atomic>
#include <cmath>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include <covary/evaluation.h>

#include "unit/series.h"

namespace covary {
namespace {

Dataset waves(int num_rows) {
  return series(
      num_rows, [](int i) { return 0.01 * i; },
      [](int i) { return std::sin(0.2 * i) + 0.004 * i + 0.3 * std::sin(1e4 * i * i); });
}

Expression expression(const std::string& text) {
  return parse_expression(text, InputNames::unnamed(1));
}

EvaluationOptions few_starts() {
  EvaluationOptions options;
  options.evidence.restarts = 6;
  return options;
}

TEST(Evaluation, OfFewRowsIsThatOfAnOracle) {
  const Dataset data = waves(60);
  const EvaluationOptions options = few_starts();
  const Evidence alone = evaluate(data, expression("SE + LIN"), options);
  const Evidence by_oracle = make_oracle(data, options.evidence)->evaluate(expression("SE + LIN"));
  EXPECT_EQ(alone.value, by_oracle.value);
  EXPECT_EQ(alone.parameters, by_oracle.parameters);
  EXPECT_EQ(alone.message, by_oracle.message);
  EXPECT_EQ(alone.rows, 60U);
}

TEST(Evaluation, OfManyRowsFindsOnFewWhereToBeginOnAll) {
  const Dataset data = waves(900);
  EvaluationOptions options = few_starts();
  const Evidence climbed = evaluate(data, expression("PER + SE"), options);
  options.fidelity = Fidelity::exact;
  const Evidence exact = evaluate(data, expression("PER + SE"), options);
  ASSERT_TRUE(climbed.value && exact.value);
  EXPECT_EQ(climbed.rows, 900U);
  EXPECT_EQ(exact.rows, 900U);
  EXPECT_GT(*climbed.value, *exact.value - 0.01);
  EXPECT_GT(climbed.num_starts, 1U) << "those on few rows count as well";
  EXPECT_EQ(*climbed.value, *evaluate(data, expression("PER + SE"), few_starts()).value);
}

TEST(Evaluation, SaysBeforeItBeginsOnHowManyRowsItEnds) {
  const std::atomic<bool> interrupted{true};
  for (const std::size_t rows : {60U, 900U, 7000U}) {
    std::optional<WorkEstimate> told;
    const Evidence evidence =
        evaluate(waves(static_cast<int>(rows)), expression("SE"), {},
                 {.interrupted = &interrupted,
                  .starting = [&](const WorkEstimate& estimate) { told = estimate; }});
    EXPECT_EQ(evidence.outcome, FitOutcome::interrupted);
    ASSERT_TRUE(told) << rows;
    EXPECT_EQ(told->num_rows, rows == 7000 ? 4500 : rows);
    EXPECT_GT(told->seconds, 0.0);
    EXPECT_GT(told->bytes, 8.0 * static_cast<double>(told->num_rows * told->num_rows));
  }
}

// Enough for 500 rows, and no machine fits to 4,500 in it.
#if defined(__SANITIZE_THREAD__)
constexpr double seconds_for_few_rows = 60.0;
#else
constexpr double seconds_for_few_rows = 6.0;
#endif

TEST(Evaluation, EndsWithWhatFewerRowsSaidWhenTheTimeIsUp) {
  EvaluationOptions options = few_starts();
  options.evidence.time_limit = seconds_for_few_rows;
  const Evidence evidence = evaluate(waves(7000), expression("SE*PER*RQ + SE"), options);
  ASSERT_TRUE(evidence.value) << evidence.message;
  EXPECT_GE(evidence.rows, 500U);
  EXPECT_LT(evidence.rows, 4500U);
  EXPECT_NE(evidence.message.find("left no time for"), std::string::npos) << evidence.message;
}

}  // namespace
}  // namespace covary
