#include "covariance/parameter_space.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace covary {
namespace {

const std::vector<Prior>& priors() {
  static const std::vector<Prior> all = {Prior::gamma(2, 2), Prior::gamma(2, 3),
                                         Prior::gamma(2, 20), Prior::exponential(100),
                                         Prior::normal(0.5, 0.25)};
  return all;
}

TEST(Prior, DensityIntegratesToOneAndToItsQuantiles) {
  for (const Prior& prior : priors()) {
    const double low = prior.is_positive() ? 0.0 : -2.0;
    const double high = quantile(prior, 1.0 - 1e-9);
    constexpr int steps = 200'000;
    const double width = (high - low) / steps;
    double mass = 0.0;
    double mass_below_median = 0.0;
    const double median = quantile(prior, 0.5);
    for (int i = 0; i < steps; ++i) {
      const double x = low + (i + 0.5) * width;
      const double part = std::exp(log_density(prior, x).value) * width;
      mass += part;
      if (x < median) mass_below_median += part;
    }
    EXPECT_NEAR(mass, 1.0, 1e-5) << to_string(prior);
    EXPECT_NEAR(mass_below_median, 0.5, 1e-4) << to_string(prior);
  }
}

TEST(Prior, DerivativesOfTheLogDensityMatchFiniteDifferences) {
  for (const Prior& prior : priors()) {
    for (const double probability : {0.05, 0.3, 0.7, 0.95}) {
      const double x = quantile(prior, probability);
      const double step = 1e-5 * std::abs(x);
      const LogDensity here = log_density(prior, x);
      const LogDensity above = log_density(prior, x + step);
      const LogDensity below = log_density(prior, x - step);
      EXPECT_NEAR(here.slope, (above.value - below.value) / (2 * step),
                  1e-4 * (1 + std::abs(here.slope)));
      EXPECT_NEAR(here.curvature, (above.slope - below.slope) / (2 * step),
                  1e-4 * (1 + std::abs(here.curvature)));
    }
  }
}

TEST(ParameterSpace, ListsParametersInPreorderWithTheNoiseLast) {
  const Expression tree = parse_expression("CP_2(LIN_1, SE_2*PER_1)", InputNames::unnamed(2));
  const ParameterSpace space(tree);
  std::string text;
  for (std::size_t i = 0; i < space.size(); ++i) {
    text += std::string(space[i].owner) + "." + std::string(space[i].parameter.name) + "@" +
            std::to_string(space[i].column) + " ";
  }
  EXPECT_EQ(text,
            "CP.location@1 CP.width@1 LIN.variance@0 LIN.constant_variance@0 SE.lengthscale@1 "
            "SE.variance@1 PER.lengthscale@0 PER.variance@0 PER.period@0 noise.noise_variance@0 ");
}

TEST(ParameterSpace, FreeAndNaturalAreInverseOverTheWholeRange) {
  const ParameterSpace space(parse_expression("CP(SE, LIN)", InputNames::unnamed(1)));
  for (std::size_t i = 0; i < space.size(); ++i) {
    for (const double value : {1e-5, 1e-3, 0.1, 1.0, 5.0, 40.0, 1000.0}) {
      EXPECT_NEAR(space.natural(i, space.free(i, value)), value, 1e-10 * value);
    }
    for (const double u : {-700.0, -20.0, -1.0, 0.0, 1.0, 30.0, 1e4}) {
      const double step = 1e-5 * std::max(1.0, std::abs(u));
      EXPECT_NEAR(space.slope(i, u),
                  (space.natural(i, u + step) - space.natural(i, u - step)) / (2 * step), 1e-6);
      EXPECT_NEAR(space.log_slope(i, u).value, std::log(space.slope(i, u)), 1e-9);
      EXPECT_TRUE(std::isfinite(space.natural(i, u)));
      if (space[i].parameter.prior.is_positive()) {
        EXPECT_GT(space.natural(i, u), 0.0);
      }
    }
  }
}

TEST(ParameterSpace, TheNoiseVarianceNeverFallsBelowItsBound) {
  const ParameterSpace space(parse_expression("SE", InputNames::unnamed(1)));
  EXPECT_GE(space.natural(space.size() - 1, -1e6), least_noise_variance);
}

}  // namespace
}  // namespace covary
