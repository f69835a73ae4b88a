// White noise is of rows: models that have it in the kernel or as their own noise are the same.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/model.h>
#include <covary/random.h>

#include "unit/evidence/scaled_data.h"

namespace covary {
namespace {

const std::vector<double> x = {0.0, 0.1, 0.1, 0.35, 0.6, 0.8, 1.0};  // one of them twice

FittedModel model_of(const char* kernel, std::vector<double> parameters) {
  const std::vector<double> y = {0.3, 0.7, 0.2, -0.4, 0.1, 0.9, -0.3};
  return {parse_expression(kernel, InputNames::unnamed(1)), std::move(parameters),
          scaled_data({x}, y)};
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-10) << i;
}

TEST(WhiteNoise, AsAnAddendIsTheNoiseOfTheModel) {
  const FittedModel with = model_of("SE + WN*MAT32", {0.2, 1.1, 0.3, 0.4, 0.5, 0.05});
  const FittedModel without = model_of("SE", {0.2, 1.1, 0.05 + 0.3 * 0.5});
  EXPECT_NEAR(with.log_marginal_likelihood(), without.log_marginal_likelihood(), 1e-10);
  expect_near(with.leave_one_out_mean(), without.leave_one_out_mean());
  expect_near(with.leave_one_out_log_density(), without.leave_one_out_log_density());
  // At the inputs of training rows too, with which new points share no noise.
  for (const std::vector<double>& points : {x, std::vector<double>{-0.5, 0.05, 0.1, 2.0}}) {
    const Prediction a = with.predict({points});
    const Prediction b = without.predict({points});
    expect_near(a.mean, b.mean);
    expect_near(a.sd, b.sd);
    expect_near(a.latent_sd, b.latent_sd);
    for (const Predicted what : {Predicted::function, Predicted::target}) {
      expect_near(with.covariance({points}, what), without.covariance({points}, what));
    }
  }
}

TEST(WhiteNoise, IsOfNoInput) {
  const FittedModel model = model_of("LIN*WN", {0.7, 0.4, 0.5, 0.05});
  std::vector<std::string> columns;
  for (const ParameterValue& parameter : model.named_parameters())
    columns.push_back(parameter.column);
  EXPECT_EQ(columns, (std::vector<std::string>{"x", "x", "", ""}));
}

TEST(WhiteNoise, InAProductGrowsWithTheOtherFactor) {
  const FittedModel model = model_of("SE + LIN*WN", {0.2, 1.1, 0.7, 0.4, 0.5, 0.05});
  const std::vector<double> points = {-0.5, 0.1, 3.0};
  const Prediction prediction = model.predict({points});
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double noise = std::pow(prediction.sd[i], 2) - std::pow(prediction.latent_sd[i], 2);
    EXPECT_NEAR(noise, 0.05 + 0.5 * (0.7 * points[i] * points[i] + 0.4), 1e-10);
  }
}

}  // namespace
}  // namespace covary
