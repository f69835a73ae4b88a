#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/ensemble.h>
#include <covary/kernels.h>
#include <covary/model.h>
#include <covary/overflow.h>
#include <covary/random.h>

namespace covary {
namespace {

constexpr double far_places[] = {1e10, 1e100, 1e150, 1e200, 1e308, 1.7e308};

Dataset curve() {
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 12; ++i) {
    x.push_back(i / 11.0);
    y.push_back(std::sin(0.5 * i));
  }
  Scaling input;
  input.name = "x";
  input.factor = 11.0;       // raw numbers from 0 to 11
  input.days_a_unit = 30.0;  // so that kernels of the calendar can act on it
  Scaling target;
  target.name = "y";
  return {{x}, y, {input}, target, std::string(32, '0'), {}};
}

// At parameters of 1 and some others; every one must be possible.
std::vector<double> parameters_of(const Expression& kernel, double value) {
  std::vector<double> parameters(kernel.num_parameters(), value);
  parameters.push_back(0.1);
  return parameters;
}

// Either numbers, or the sentence; what it is of must be a kernel that grows without end.
void check(const Expression& kernel, bool may_overflow) {
  for (const double value : {0.3, 1.0, 2.5}) {
    for (const MeanFunction mean : {MeanFunction::zero, MeanFunction::constant}) {
      const FittedModel model(kernel, parameters_of(kernel, value), curve(), mean);
      for (const double place : far_places) {
        for (const double x : {place, -place}) {
          const std::string what = to_string(kernel) + " at " + std::to_string(x);
          try {
            const Prediction prediction = model.predict({{3.0, x, 4.0}});
            const Prediction::Interval interval = prediction.interval(0.95);
            for (std::size_t i = 0; i < 3; ++i) {
              EXPECT_TRUE(std::isfinite(prediction.mean[i])) << what;
              EXPECT_TRUE(std::isfinite(prediction.sd[i])) << what;
              EXPECT_TRUE(std::isfinite(prediction.latent_sd[i])) << what;
              EXPECT_FALSE(std::isnan(interval.lower[i])) << what;
            }
            if (!may_overflow) {
              EXPECT_LT(prediction.sd[1], 1e3) << what;
            }
          } catch (const PredictionOverflow& error) {
            EXPECT_TRUE(may_overflow) << what << ": " << error.what();
            EXPECT_EQ(error.point(), 1U);
            EXPECT_NE(error.sentence().find("column \"x\""), std::string::npos);
          }
        }
      }
    }
  }
}

bool grows(const BaseKernel& kernel) { return kernel.name == "LIN" || kernel.name == "RW"; }

std::vector<Expression> all_leaves() {
  std::vector<Expression> leaves;
  for (const BaseKernel* kernel : all_base_kernels()) {
    leaves.emplace_back(BoundKernel{kernel, 0});
  }
  return leaves;
}

TEST(FarPoints, EveryBaseKernelSaysANumberOrThatItHasNone) {
  for (const Expression& leaf : all_leaves()) check(leaf, grows(*leaf.base_kernel().kernel));
}

TEST(FarPoints, SoDoEveryTwoOfThemJoinedByAnyOperator) {
  for (const Expression& left : all_leaves()) {
    for (const Expression& right : all_leaves()) {
      const bool may_overflow =
          grows(*left.base_kernel().kernel) || grows(*right.base_kernel().kernel);
      for (const Operator* op : all_operators()) {
        check(Expression::join(BoundOperator{op, 0}, left, right), may_overflow);
      }
    }
  }
}

TEST(FarPoints, TheSentenceNamesTheNumberAndTheRowsOfTraining) {
  const Expression kernel = parse_expression("LIN", InputNames({"x"}));
  const FittedModel model(kernel, {1.0, 1.0, 0.1}, curve());
  try {
    static_cast<void>(model.predict({{1.0, 1e200}}));
    FAIL();
  } catch (const PredictionOverflow& error) {
    EXPECT_STREQ(
        error.what(),
        "row 2, column \"x\": 1e+200 is so far outside the rows of training (0 to 11) that "
        "the prediction is beyond double-precision numbers; correct it, or leave the row "
        "out");
  }
}

TEST(FarPoints, CovariancesAndMixturesSaySoToo) {
  const Dataset data = curve();
  const Expression kernel = parse_expression("LIN", InputNames({"x"}));
  const FittedModel model(kernel, {1.0, 1.0, 0.1}, data);
  EXPECT_THROW(static_cast<void>(model.covariance({{1.0, 1e200}})), PredictionOverflow);
  const Ensemble both({model, FittedModel(kernel, {2.0, 1.0, 0.1}, data)}, {0.0, 0.0});
  EXPECT_THROW(static_cast<void>(both.predict({{1e200}})), PredictionOverflow);
  Random random(1);
  EXPECT_THROW(static_cast<void>(both.sample({{1e200}}, 2, random)), PredictionOverflow);
}

}  // namespace
}  // namespace covary
