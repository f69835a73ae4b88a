// Models of more rows than LAPACK is called for: above 2,000.
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <covary/error.h>
#include <covary/model.h>

#include "base/machine_memory.h"
#include "evidence/memory.h"
#include "linalg/large_factor.h"

namespace covary {
namespace {

Dataset waves(std::size_t num_rows) {
  std::vector<double> x(num_rows);
  std::vector<double> y(num_rows);
  for (std::size_t i = 0; i < num_rows; ++i) {
    x[i] = static_cast<double>(i) / static_cast<double>(num_rows);
    y[i] = std::sin(20.0 * x[i]) + 0.1 * std::cos(1e3 * x[i]);
  }
  return {{std::move(x)}, std::move(y), {{"x"}}, {"y"}, "", {}};
}

const std::vector<double> parameters = {0.05, 1.0, 0.01};

TEST(ModelOfManyRows, PredictsTheSameOnAnyNumberOfThreads) {
  const Dataset data = waves(many_rows + 50);
  const Expression kernel = parse_expression("SE", InputNames::unnamed(1));
  std::vector<double> places;
  for (int i = 0; i < 300; ++i) places.push_back(-0.1 + 0.004 * i);
  std::vector<Prediction> predictions;
  for (const std::size_t threads : {1U, 2U, 3U}) {
    const LongWork work{.threads = threads};
    const FittedModel model(kernel, parameters, data, MeanFunction::constant, work);
    predictions.push_back(model.predict({places}, work));
    EXPECT_EQ(predictions.back().mean, predictions.front().mean);
    EXPECT_EQ(predictions.back().sd, predictions.front().sd);
  }
  // Points one by one are in other blocks.
  const FittedModel model(kernel, parameters, data, MeanFunction::constant);
  for (const std::size_t i : {0U, 127U, 128U, 299U}) {
    const Prediction alone = model.predict({{places[i]}});
    EXPECT_NEAR(alone.mean[0], predictions[0].mean[i], 1e-9);
    EXPECT_NEAR(alone.sd[0], predictions[0].sd[i], 1e-9);
  }
}

// Fewer rows by fifty are few, and say nearly the same of where both have data.
TEST(ModelOfManyRows, AgreesWithThatOfNearlyAsManyWhichAreFew) {
  const Expression kernel = parse_expression("SE", InputNames::unnamed(1));
  const Dataset data = waves(many_rows + 50);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < many_rows; ++i) rows.push_back(i);
  const FittedModel many(kernel, parameters, data);
  const FittedModel few(kernel, parameters, data.rows(rows));
  const Prediction all = many.predict({{0.1, 0.5}});
  const Prediction fewer = few.predict({{0.1, 0.5}});
  const std::vector<double> all_loo = many.leave_one_out_mean();
  const std::vector<double> fewer_loo = few.leave_one_out_mean();
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(all.mean[i], fewer.mean[i], 1e-4);
    EXPECT_NEAR(all.sd[i], fewer.sd[i], 1e-4);
  }
  for (std::size_t i = 0; i < many_rows / 2; ++i) EXPECT_NEAR(all_loo[i], fewer_loo[i], 1e-4);
}

TEST(ModelOfManyRows, SaysBeforeWhatItTakesAndCanBeStopped) {
  const Expression kernel = parse_expression("SE", InputNames::unnamed(1));
  const Dataset data = waves(many_rows + 50);
  std::vector<WorkEstimate> estimates;
  int num_asked = 0;
  LongWork work;
  work.starting = [&](const WorkEstimate& estimate) { estimates.push_back(estimate); };
  work.should_stop = [&] { return ++num_asked > 2; };
  EXPECT_THROW(FittedModel(kernel, parameters, data, MeanFunction::zero, work), WorkStopped);
  EXPECT_EQ(num_asked, 3);
  ASSERT_EQ(estimates.size(), 1U);
  EXPECT_EQ(estimates[0].num_rows, data.num_rows());
  EXPECT_GT(estimates[0].seconds, 0.0);
  EXPECT_EQ(estimates[0].bytes, 8.0 * std::pow(static_cast<double>(data.num_rows()), 2.0));
  const FittedModel model(kernel, parameters, data);
  EXPECT_THROW(model.predict({{0.5}}, work), WorkStopped);
}

TEST(ModelOfManyRows, IsRefusedWhereItHasNoRoom) {
  constexpr std::size_t rows = 20'000;
  const double matrix = 8.0 * static_cast<double>(rows) * static_cast<double>(rows);
  const auto too_many = static_cast<std::size_t>(machine_bytes() / matrix) + 1;
  try {
    check_models_memory(rows, too_many);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::memory) << error.what();
  }
}

}  // namespace
}  // namespace covary
