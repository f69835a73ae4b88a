#include "covariance/parameter_space.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace covary {
namespace {

const std::vector<Prior>& priors() {
  static const std::vector<Prior> all = {Prior::gamma(2, 2),       Prior::gamma(2, 3),
                                         Prior::gamma(2, 20),      Prior::exponential(100),
                                         Prior::normal(0.5, 0.25), Prior::log_normal(3, 0.4)};
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

// A period between what the rows can show.
ParameterSpace bounded_space() {
  const std::vector<InputScale> scales = {{.shortest_period = 0.02, .longest_period = 0.6}};
  return ParameterSpace(parse_expression("PER", InputNames::unnamed(1)), scales);
}
constexpr std::size_t period = 2;

TEST(ParameterSpace, APeriodStaysBetweenItsBounds) {
  const ParameterSpace space = bounded_space();
  ASSERT_EQ(space[period].parameter.prior, Prior::log_uniform(0.02, 0.6));
  for (const double u : {-700.0, -3.0, 0.0, 2.0, 1e4}) {
    EXPECT_GE(space.natural(period, u), 0.02 * (1.0 - 1e-12));
    EXPECT_LE(space.natural(period, u), 0.6 * (1.0 + 1e-12));
  }
  for (const double value : {0.021, 0.1, 0.5}) {
    EXPECT_NEAR(space.natural(period, space.free(period, value)), value, 1e-12);
  }
  // What lies outside, as a similar kernel's period may, is taken for a place inside.
  for (const double value : {1e-5, 0.02, 0.6, 7.0}) {
    EXPECT_TRUE(std::isfinite(space.free(period, value)));
  }
}

TEST(ParameterSpace, ABoundedParameterHasAProperDensityInItsFreeNumber) {
  const ParameterSpace space = bounded_space();
  constexpr int steps = 20'000;
  constexpr double end = 30.0;
  constexpr double width = 2.0 * end / steps;
  double mass = 0.0;
  for (int i = 0; i < steps; ++i) {
    const double u = -end + (i + 0.5) * width;
    const double natural = space.natural(period, u);
    mass += width * std::exp(log_density(space[period].parameter.prior, natural).value +
                             space.log_slope(period, u).value);
  }
  EXPECT_NEAR(mass, 1.0, 1e-9);
}

TEST(ParameterSpace, SlopesOfABoundedParameterMatchFiniteDifferences) {
  const ParameterSpace space = bounded_space();
  constexpr double step = 1e-5;
  for (const double u : {-4.0, -0.5, 0.0, 1.3, 5.0}) {
    const auto difference = [&](const auto& f) { return (f(u + step) - f(u - step)) / (2 * step); };
    const LogDensity log_slope = space.log_slope(period, u);
    const auto natural = [&](double at) { return space.natural(period, at); };
    EXPECT_NEAR(space.slope(period, u), difference(natural), 1e-8);
    EXPECT_NEAR(log_slope.value, std::log(space.slope(period, u)), 1e-12);
    EXPECT_NEAR(log_slope.slope,
                difference([&](double at) { return space.log_slope(period, at).value; }), 1e-7);
    EXPECT_NEAR(log_slope.curvature,
                difference([&](double at) { return space.log_slope(period, at).slope; }), 1e-7);
  }
}

// What is usual of a series does not depend on how long it was watched: a year is a part of the
// range, and priors are of years.
TEST(ParameterSpace, PriorsOfACalendarAreInItsYears) {
  const auto prior_of = [](const std::string& text, std::size_t parameter, double year) {
    const std::vector<InputScale> scales = {
        {.shortest_period = 0.02, .longest_period = 0.6, .year = year}};
    return ParameterSpace(parse_expression(text, InputNames::unnamed(1)), scales)[parameter]
        .parameter.prior;
  };
  const auto median = [&](const std::string& text, std::size_t parameter, double year) {
    return quantile(prior_of(text, parameter, year), 0.5);
  };
  EXPECT_NEAR(median("SE", 0, 0.1), 0.1 * std::exp(1.1), 1e-12);
  EXPECT_NEAR(median("MAT32", 0, 0.05), 0.5 * median("MAT32", 0, 0.1), 1e-12);
  EXPECT_NEAR(median("LIN", 0, 0.05), 4.0 * median("LIN", 0, 0.1), 1e-9);
  EXPECT_NEAR(median("RW", 0, 0.05), 2.0 * median("RW", 0, 0.1), 1e-9);
  EXPECT_EQ(median("SE", 1, 0.05), median("SE", 1, 0.1));
  EXPECT_EQ(median("YEAR", 0, 0.05), median("YEAR", 0, 0.1));
  EXPECT_EQ(prior_of("PER", 2, 0.1), Prior::log_uniform(0.02, 0.6));
  // Of operators, and of lengths without a calendar, they are those of the registry.
  EXPECT_EQ(prior_of("SE", 0, 0.0), Prior::gamma(2, 2));
  const Expression change = parse_expression("CP(SE, LIN)", InputNames::unnamed(1));
  for (std::size_t i = 0; i < change_point_operator().parameters.size(); ++i) {
    EXPECT_EQ(prior_of("CP(SE, LIN)", i, 0.1), ParameterSpace(change)[i].parameter.prior);
  }
}

// A line over the range, of the target's standard deviation, is nothing unusual for an only input.
// Of several, and with the paper's priors, slopes have the registry's prior.
TEST(ParameterSpace, SlopesAndWalksOfAnOnlyInputAreAsSteepAsWhatMakesUpTheTarget) {
  const auto prior_of = [](const std::string& text, std::size_t num_inputs, bool is_informed) {
    const std::vector<InputScale> scales(
        is_informed ? num_inputs : 0, {.shortest_period = 0.02, .longest_period = 0.6, .year = 0});
    return ParameterSpace(parse_expression(text, InputNames::unnamed(num_inputs)), scales)[0]
        .parameter.prior;
  };
  // The mean square of k x over x in [0, 1] about its mean is k² / 12; that of a walk of rate v
  // about its mean v / 6.
  const double part = quantile(prior_of("LIN", 1, true), 0.5) / 12.0;
  EXPECT_NEAR(quantile(prior_of("RW", 1, true), 0.5) / 6.0, part, 1e-12);
  EXPECT_GT(quantile(prior_of("LIN", 1, true), 0.95), 12.0);
  EXPECT_EQ(prior_of("SE", 1, true), Prior::gamma(2, 2));
  EXPECT_EQ(prior_of("LIN_1", 2, true), Prior::gamma(2, 3));
  EXPECT_EQ(prior_of("LIN", 1, false), Prior::gamma(2, 3));
}

TEST(ParameterSpace, EachChangePointHasAPriceWhereTheInputsAreKnown) {
  const std::vector<InputScale> scales = {{.shortest_period = 0.02, .longest_period = 0.6}};
  const auto extra = [&](const std::string& text) {
    const Expression kernel = parse_expression(text, InputNames::unnamed(1));
    const std::vector<double> values(kernel.num_parameters() + 1, 0.3);
    return ParameterSpace(kernel, scales).log_prior(values) -
           ParameterSpace(kernel).log_prior(values);
  };
  const double price = change_point_operator().price;
  EXPECT_GT(price, 0.0);
  EXPECT_NEAR(extra("CP(SE, LIN)"), extra("SE + LIN") - price, 1e-9);
  EXPECT_NEAR(extra("CP(SE, CP(LIN, SE))"), extra("SE + LIN") - 2.0 * price, 1e-9);
}

TEST(ParameterSpace, TheNoiseVarianceNeverFallsBelowItsBound) {
  const ParameterSpace space(parse_expression("SE", InputNames::unnamed(1)));
  EXPECT_GE(space.natural(space.size() - 1, -1e6), least_noise_variance);
}

}  // namespace
}  // namespace covary
