// The evidence along one input by state space, against the exact one.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>

#include "covariance/parameter_space.h"
#include "inference/inference.h"
#include "inference/state_space/state_space_evidence.h"
#include "unit/inference/random_problem.h"
#include "unit/random_expression.h"

namespace covary {
namespace {

using Numbers = std::vector<double>;

constexpr StateSpaceLimits to_rounding = {.open_per_row = 0.0};

struct Series {
  Numbers x;
  Numbers y;
  TrainingRows rows(double constant_variance = 0.0) const { return {{x}, y, constant_variance}; }
};

// At no regular distances, in no order, a fifth of the inputs being repeated.
Series irregular_series(std::size_t n, Random& random) {
  Series series;
  for (std::size_t i = 0; i < n; ++i) {
    series.x.push_back(i % 5 == 4 ? series.x[random.index(i)] : random.uniform());
    series.y.push_back(std::sin(20.0 * series.x.back()) + 0.5 * random.normal());
  }
  return series;
}

double exact_evidence(const Expression& kernel, const Numbers& parameters,
                      const TrainingRows& rows) {
  return exact_inference().posterior(kernel, parameters, rows)->log_marginal_likelihood();
}

std::optional<Posterior::Interval> evidence(const Expression& kernel, const Numbers& parameters,
                                            const TrainingRows& rows,
                                            const StateSpaceLimits& limits = to_rounding) {
  const auto model = state_space_model(kernel, parameters, rows, limits);
  return model ? state_space_evidence(*model, rows, {}) : std::nullopt;
}

Expression parsed(const char* text) { return parse_expression(text, InputNames::unnamed(1)); }

// Sums and products, a tree of the kernels that have a state space.
Expression random_kernel(Random& random, std::size_t num_leaves) {
  static const char* const names[] = {"MAT12", "MAT32", "MAT52", "RW",  "LIN", "C",
                                      "WN",    "PER",   "SE",    "DAY", "WEEK"};
  if (num_leaves == 1) {
    BoundKernel leaf{find_base_kernel(names[random.index(std::size(names))]), 0};
    if (leaf.kernel->calendar_unit == CalendarUnit::day) leaf.period = 0.02;
    if (leaf.kernel->calendar_unit == CalendarUnit::week) leaf.period = 0.14;
    return leaf;
  }
  const std::size_t num_left = 1 + random.index(num_leaves - 1);
  const BoundOperator op{random.uniform() < 0.5 ? &add_operator() : &mult_operator(), 0};
  const Expression left = random_kernel(random, num_left);
  return Expression::join(op, left, random_kernel(random, num_leaves - num_left));
}

TEST(StateSpace, HasTheExactEvidenceOfSumsAndProducts) {
  Random random(1);
  const Series series = irregular_series(300, random);
  for (int i = 0; i < 80; ++i) {
    const Expression kernel = random_kernel(random, 1 + random.index(4));
    const Numbers parameters = random_parameters(kernel, random);
    const TrainingRows rows = series.rows(i % 2 == 0 ? 1.0 : 0.0);
    const auto interval = evidence(kernel, parameters, rows, {.open_per_row = 0.0});
    ASSERT_TRUE(interval) << kernel;
    const double exact = exact_evidence(kernel, parameters, rows);
    EXPECT_NEAR(interval->lower, exact, 1e-8 * std::abs(exact)) << kernel;
    EXPECT_EQ(interval->lower, interval->upper) << kernel;
  }
}

// The walk begins at 0, in the middle of the rows.
TEST(StateSpace, KnowsRandomWalksOnBothSidesOfZero) {
  Random random(2);
  Series series = irregular_series(200, random);
  for (double& x : series.x) x = 2.0 * x - 1.0;
  series.x[7] = 0.0;
  for (const char* text : {"RW", "RW*MAT32 + LIN", "RW*RW*PER + SE"}) {
    const Expression kernel = parsed(text);
    Numbers parameters = random_parameters(kernel, random);
    for (const double constant : {0.5, 0.0}) {
      parameters[1] = constant;
      const double exact = exact_evidence(kernel, parameters, series.rows());
      const auto interval = evidence(kernel, parameters, series.rows());
      ASSERT_TRUE(interval) << text;
      EXPECT_NEAR(interval->lower, exact, 1e-8 * std::abs(exact)) << text << ' ' << constant;
    }
  }
}

// Steps of less than a thousandth of a length with next to no noise, and steps after which nothing
// is left.
TEST(StateSpace, KeepsItsDigitsOfShortAndOfLongSteps) {
  Random random(3);
  Series series;
  for (int i = 0; i < 1500; ++i) {
    series.x.push_back(static_cast<double>(i) / 1500.0);
    series.y.push_back(std::sin(3.0 * series.x.back()) + 0.1 * random.normal());
  }
  for (const char* text : {"MAT12", "MAT32", "MAT52", "MAT52*MAT32"}) {
    const Expression kernel = parsed(text);
    for (const double length : {10.0, 1e-3, 1e-6}) {
      Numbers parameters = {length, 1.0, length, 1.0};
      parameters.resize(kernel.num_parameters());
      parameters.push_back(1e-6);
      const double exact = exact_evidence(kernel, parameters, series.rows());
      const auto interval = evidence(kernel, parameters, series.rows());
      ASSERT_TRUE(interval) << text;
      EXPECT_NEAR(interval->lower, exact, 1e-9 * std::abs(exact)) << text << ' ' << length;
    }
  }
}

// Cycles of very short and of endless lengths, and parameters that no number holds the product of.
TEST(StateSpace, KnowsItsLimits) {
  Random random(10);
  const Series series = irregular_series(200, random);
  for (const double length : {1e-2, 1e3, 1e150}) {
    for (const char* text : {"PER", "SE"}) {
      const Expression kernel = parsed(text);
      Numbers parameters = {length, 0.8, 0.3};
      parameters.resize(kernel.num_parameters());
      parameters.push_back(0.1);
      const double exact = exact_evidence(kernel, parameters, series.rows());
      const auto interval = evidence(kernel, parameters, series.rows());
      ASSERT_TRUE(interval) << text;
      EXPECT_NEAR(interval->lower, exact, 1e-8 * std::abs(exact)) << text << ' ' << length;
    }
  }
  EXPECT_FALSE(evidence(parsed("C*PER"), {1e200, 1.0, 1e200, 0.3, 0.1}, series.rows()));
  EXPECT_FALSE(evidence(parsed("PER"), {1e-9, 1.0, 0.3, 0.1}, series.rows()));
  EXPECT_FALSE(evidence(parsed("SE"), {1e-9, 1.0, 0.1}, series.rows()));
  // Of a tree that no sum of products has room for.
  std::string text = "(SE + MAT12)";
  for (int i = 0; i < 40; ++i) text += "*(LIN + MAT32)";
  const Expression kernel = parsed(text.c_str());
  EXPECT_FALSE(evidence(kernel, random_parameters(kernel, random), series.rows()));
}

TEST(StateSpace, DoesNotDependOnTheOrderOfTheRows) {
  Random random(4);
  const Series series = irregular_series(250, random);
  std::vector<std::size_t> order(series.x.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  random.shuffle(order);
  Series shuffled;
  for (const std::size_t row : order) {
    shuffled.x.push_back(series.x[row]);
    shuffled.y.push_back(series.y[row]);
  }
  for (int i = 0; i < 20; ++i) {
    const Expression kernel = random_kernel(random, 3);
    const Numbers parameters = random_parameters(kernel, random);
    const auto one = evidence(kernel, parameters, series.rows());
    const auto other = evidence(kernel, parameters, shuffled.rows());
    ASSERT_TRUE(one && other) << kernel;
    EXPECT_NEAR(one->lower, other->lower, 1e-9 * std::abs(one->lower)) << kernel;
  }
}

// Of stationary kernels, with lengths that are as many times as long.
TEST(StateSpace, DoesNotDependOnWhereTheInputBeginsAndOnItsUnit) {
  Random random(5);
  const Series series = irregular_series(250, random);
  Series moved = series;
  for (double& x : moved.x) x = 700.0 * x - 90.0;
  for (const char* text : {"MAT12 + SE", "MAT32*PER", "SE*PER + MAT52", "PER*PER + C*MAT12"}) {
    const Expression kernel = parsed(text);
    const Numbers parameters = random_parameters(kernel, random);
    Numbers longer = parameters;
    const ParameterSpace space(kernel);
    for (std::size_t p = 0; p < space.size(); ++p) {
      if (space[p].parameter.quantity == Quantity::input_length) longer[p] *= 700.0;
    }
    const auto one = evidence(kernel, parameters, series.rows());
    const auto other = evidence(kernel, longer, moved.rows());
    ASSERT_TRUE(one && other) << text;
    EXPECT_NEAR(one->lower, other->lower, 1e-8 * std::abs(one->lower)) << text;
  }
}

TEST(StateSpace, HasTheEvidenceInAnIntervalWhereWavesAreLeftOut) {
  Random random(6);
  const Series series = irregular_series(300, random);
  for (const char* text : {"SE", "PER", "SE*PER + LIN", "MAT32*PER + MAT12"}) {
    const Expression kernel = parsed(text);
    Numbers parameters = random_parameters(kernel, random);
    parameters[0] = 0.05;
    const double exact = exact_evidence(kernel, parameters, series.rows(1.0));
    std::size_t functions = 0;
    for (const double open : {0.0, 1e-8, 1e-4, 0.1}) {
      const StateSpaceLimits limits{.open_per_row = open};
      const auto model = state_space_model(kernel, parameters, series.rows(1.0), limits);
      const std::size_t found = model->num_still() + model->num_moving();
      if (open > 0.0) {
        EXPECT_LT(found, functions) << text;
      }
      functions = found;
      const auto interval = evidence(kernel, parameters, series.rows(1.0), limits);
      const double rounding = 1e-8 * std::abs(exact);
      EXPECT_LE(interval->lower, exact + rounding) << text << ' ' << open;
      EXPECT_GE(interval->upper, exact - rounding) << text << ' ' << open;
      // The squares are about as many as there are rows.
      EXPECT_LE(interval->upper - interval->lower, 300.0 * 20.0 * open + rounding) << text;
    }
  }
}

TEST(StateSpace, HasAsManyFunctionsAsTheKernelNeeds) {
  Random random(7);
  const Series series = irregular_series(100, random);
  const auto model = [&](const char* text, Numbers parameters) {
    return *state_space_model(parsed(text), parameters, series.rows(), to_rounding);
  };
  const StateSpaceModel trend = model("MAT32 + LIN*LIN", {0.1, 1.0, 1.0, 1.0, 1.0, 1.0, 0.1});
  EXPECT_EQ(trend.num_moving(), 2U);
  EXPECT_EQ(trend.num_still(), 3U);  // 1, x and x²
  const StateSpaceModel varied = model("MAT32*LIN*RW", {0.1, 1.0, 1.0, 1.0, 1.0, 1.0, 0.1});
  EXPECT_EQ(varied.num_moving(), 4U);
  EXPECT_EQ(varied.num_still(), 0U);
  // White noise is no function, whatever it is multiplied by.
  EXPECT_EQ(model("MAT12 + WN*PER", {0.1, 1.0, 1.0, 1.0, 1.0, 1.0, 0.1}).num_still(), 0U);
  // The harmonics of a cycle of half the period are among those of the whole one.
  const StateSpaceModel cycle = model("PER", {1.0, 1.0, 0.5, 0.1});
  const StateSpaceModel both = model("PER + PER", {1.0, 1.0, 0.5, 1.0, 1.0, 0.25, 0.1});
  EXPECT_LT(both.num_still(), 2 * cycle.num_still() - 1);
  // A fifth of the length takes about five times the waves, where that is short.
  const std::size_t few = model("SE", {0.01, 1.0, 0.1}).num_still();
  const std::size_t many = model("SE", {0.002, 1.0, 0.1}).num_still();
  EXPECT_NEAR(static_cast<double>(many) / static_cast<double>(few), 5.0, 0.5);
}

TEST(StateSpace, RefusesWhatHasNoSuchFormOrWouldTakeTooLong) {
  Random random(8);
  const RandomProblem problem = random_problem(60, random, 0.3);
  const TrainingRows rows{{problem.x[0]}, problem.y, 1.0};
  for (const char* text : {"RQ", "SE + RQ*PER", "CP(SE, LIN)", "MAT32*CP(WN, C)"}) {
    const Expression kernel = parsed(text);
    const Numbers parameters = random_parameters(kernel, random);
    EXPECT_FALSE(state_space_model(kernel, parameters, rows, {})) << text;
  }
  const Expression kernel = parsed("SE*PER + MAT32");
  const Numbers parameters = random_parameters(kernel, random);
  EXPECT_FALSE(state_space_model(kernel, parameters, problem.rows(), {}));
  const auto model = state_space_model(kernel, parameters, rows, {});
  ASSERT_TRUE(model);
  const double needed = state_space_operations(*model, 60);
  EXPECT_TRUE(state_space_model(kernel, parameters, rows, {.operations = needed}));
  EXPECT_FALSE(state_space_model(kernel, parameters, rows, {.operations = 0.99 * needed}));
}

TEST(StateSpace, IsTheSameOnAnyNumberOfThreadsAndCanBeStopped) {
  Random random(9);
  const Series series = irregular_series(2500, random);
  const Expression kernel = parsed("SE*PER + MAT32*PER + LIN");
  Numbers parameters = random_parameters(kernel, random);
  parameters[0] = 0.05;
  const auto model = state_space_model(kernel, parameters, series.rows(), {});
  ASSERT_TRUE(model);
  ASSERT_GT(model->num_still(), 512U) << "more than one tile";
  std::vector<double> values;
  for (const std::size_t threads : {1U, 2U, 5U}) {
    std::vector<double> shares;
    const LongWork work{.threads = threads,
                        .progress = [&](double share) { shares.push_back(share); }};
    values.push_back(state_space_evidence(*model, series.rows(), work)->lower);
    EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
    EXPECT_NEAR(shares.back(), 1.0, 1e-9);
  }
  EXPECT_EQ(values[0], values[1]);
  EXPECT_EQ(values[0], values[2]);
  int questions = 0;
  const LongWork stopped{.threads = 2, .should_stop = [&] { return ++questions > 20; }};
  EXPECT_THROW(static_cast<void>(state_space_evidence(*model, series.rows(), stopped)),
               WorkStopped);
}

}  // namespace
}  // namespace covary
