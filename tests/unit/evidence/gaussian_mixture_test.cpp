#include "evidence/gaussian_mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>

namespace covary {
namespace {

using Members = std::vector<WeightedGaussian>;

Members random_members(Random& random) {
  Members members(2 + random.index(7));
  double sum = 0.0;
  for (WeightedGaussian& member : members) {
    member = {3.0 * random.normal(), std::exp(2.0 * random.normal()), 0.01 + random.uniform()};
    sum += member.weight;
  }
  for (WeightedGaussian& member : members) member.weight /= sum;
  return members;
}

using Precise = long double;

Precise probability_below(const Members& members, Precise x) {
  Precise sum = 0.0L;
  for (const WeightedGaussian& member : members) {
    const Precise z = (x - static_cast<Precise>(member.mean)) / static_cast<Precise>(member.sd);
    sum += static_cast<Precise>(member.weight) * 0.5L * std::erfc(-z / std::sqrt(2.0L));
  }
  return sum;
}

// Plain halving with more digits than a double has.
double inverted(const Members& members, double probability) {
  Precise low = -1e6L;
  Precise high = 1e6L;
  for (int i = 0; i < 130; ++i) {
    const Precise middle = 0.5L * (low + high);
    (probability_below(members, middle) < static_cast<Precise>(probability) ? low : high) = middle;
  }
  return static_cast<double>(low);
}

const std::vector<double> some_tails = {1e-200, 1e-15, 1e-6, 0.001, 0.025, 0.1, 0.3, 0.45, 0.5};

TEST(GaussianMixture, TwoGaussiansHaveTheMeanAndSpreadOfTheClosedForm) {
  const GaussianMixture mixture({{1.0, 2.0, 0.25}, {5.0, 0.5, 0.75}});
  EXPECT_DOUBLE_EQ(mixture.mean(), 4.0);
  // Within the two, and between them: w (1 - w) times the squared distance.
  EXPECT_DOUBLE_EQ(mixture.sd(), std::sqrt(0.25 * 4.0 + 0.75 * 0.25 + 0.25 * 0.75 * 16.0));
}

TEST(GaussianMixture, QuantilesAreThoseOfAFineInversion) {
  Random random(1);
  for (int repeat = 0; repeat < 300; ++repeat) {
    const Members members = random_members(random);
    const GaussianMixture mixture(members);
    Members mirrored = members;
    for (WeightedGaussian& member : mirrored) member.mean = -member.mean;
    for (const double tail : some_tails) {
      const double tolerance = 1e-12 * mixture.sd();
      EXPECT_NEAR(mixture.lower_quantile(tail), inverted(members, tail), tolerance) << tail;
      EXPECT_NEAR(mixture.upper_quantile(tail), -inverted(mirrored, tail), tolerance) << tail;
    }
  }
}

TEST(GaussianMixture, QuantilesNeverCross) {
  Random random(2);
  for (int repeat = 0; repeat < 100; ++repeat) {
    const GaussianMixture mixture(random_members(random));
    for (std::size_t i = 0; i + 1 < some_tails.size(); ++i) {
      EXPECT_LT(mixture.lower_quantile(some_tails[i]), mixture.lower_quantile(some_tails[i + 1]));
      EXPECT_GT(mixture.upper_quantile(some_tails[i]), mixture.upper_quantile(some_tails[i + 1]));
    }
    EXPECT_NEAR(mixture.lower_quantile(0.5), mixture.upper_quantile(0.5), 1e-12 * mixture.sd());
  }
}

TEST(GaussianMixture, EqualPairsAreSymmetricHoweverFarApart) {
  for (const double distance : {0.1, 1.0, 5.0, 20.0, 60.0, 1e5}) {
    const GaussianMixture mixture({{3.0 - distance, 1.0, 0.5}, {3.0 + distance, 1.0, 0.5}});
    EXPECT_DOUBLE_EQ(mixture.mean(), 3.0);
    EXPECT_NEAR(mixture.lower_quantile(0.5), 3.0, 1e-12 * (1.0 + distance)) << distance;
    for (const double tail : some_tails) {
      EXPECT_NEAR(mixture.lower_quantile(tail) + mixture.upper_quantile(tail), 6.0,
                  1e-12 * (1.0 + distance))
          << distance << " " << tail;
    }
  }
}

// Between the two the distribution function differs from 1/2 by less than a double can show.
TEST(GaussianMixture, TheMedianOfFarGaussiansIsWhereTheirTailsAreEqual) {
  const GaussianMixture mixture({{0.0, 1.0, 0.5}, {60.0, 2.0, 0.5}});
  EXPECT_NEAR(mixture.lower_quantile(0.5), 20.0, 1e-11);
}

TEST(GaussianMixture, EqualMembersAreOneGaussian) {
  const GaussianMixture one({{7.0, 0.3, 1.0}});
  const GaussianMixture three({{7.0, 0.3, 0.5}, {7.0, 0.3, 0.25}, {7.0, 0.3, 0.25}});
  EXPECT_EQ(three.mean(), 7.0);
  EXPECT_EQ(three.sd(), 0.3);
  for (const double tail : some_tails) {
    EXPECT_EQ(three.lower_quantile(tail), one.lower_quantile(tail));
    EXPECT_EQ(three.upper_quantile(tail), one.upper_quantile(tail));
  }
}

TEST(GaussianMixture, TheOrderDoesNotMatterInAnyBit) {
  Random random(3);
  for (int repeat = 0; repeat < 100; ++repeat) {
    const Members members = random_members(random);
    const Members backwards(members.rbegin(), members.rend());
    EXPECT_EQ(GaussianMixture(members).mean(), GaussianMixture(backwards).mean());
    EXPECT_EQ(GaussianMixture(members).sd(), GaussianMixture(backwards).sd());
    for (const double tail : some_tails) {
      EXPECT_EQ(GaussianMixture(members).lower_quantile(tail),
                GaussianMixture(backwards).lower_quantile(tail));
    }
  }
}

TEST(GaussianMixture, AMemberOfNoWeightToSpeakOfChangesNothing) {
  const GaussianMixture mixture({{0.0, 1.0, 1.0}, {1e6, 1e-6, 5e-324}});
  const GaussianMixture alone({{0.0, 1.0, 1.0}});
  for (const double tail : some_tails) {
    EXPECT_NEAR(mixture.lower_quantile(tail), alone.lower_quantile(tail), 1e-13 * 40.0) << tail;
    EXPECT_NEAR(mixture.upper_quantile(tail), alone.upper_quantile(tail), 1e-13 * 40.0) << tail;
  }
}

TEST(GaussianMixture, QuantilesDoNotDependOnTheUnitHoweverLargeOrSmallItIs) {
  Random random(3);
  for (int i = 0; i < 200; ++i) {
    Members members(2 + random.index(4));
    double sum = 0.0;
    for (WeightedGaussian& member : members) {  // close to each other, as members of a model are
      member = {0.5 * random.normal(), 0.02 + 0.2 * random.uniform(), 0.1 + random.uniform()};
      sum += member.weight;
    }
    for (WeightedGaussian& member : members) member.weight /= sum;
    for (const int exponent : {1018, 1010, 310, -310, -900}) {
      Members others = members;
      for (WeightedGaussian& member : others) {
        member.mean = std::ldexp(member.mean, exponent);
        member.sd = std::ldexp(member.sd, exponent);
      }
      for (const double tail : {1e-6, 0.025, 0.1, 0.4}) {
        const double expected = GaussianMixture(members).lower_quantile(tail);
        const double found = std::ldexp(GaussianMixture(others).lower_quantile(tail), -exponent);
        EXPECT_NEAR(found, expected, 1e-13) << exponent;
      }
    }
  }
}

TEST(GaussianMixture, ExtremeNumbersStayInsideOfTheMembers) {
  for (const Members& members :
       {Members{{-1e308, 1.0, 0.5}, {1e308, 1e-300, 0.5}},
        Members{{0.0, 0.0, 0.5}, {1.0, 0.0, 0.5}}, Members{{0.0, 5e-324, 0.5}, {1.0, 1e300, 0.5}},
        Members{{1e200, 1e-9, 0.3}, {-1e200, 1, 0.7}},
        Members{{1.0, 1e-12, 1e-12}, {1.0 + 1e-15, 1e-14, 1.0 - 1e-12}}}) {
    const GaussianMixture mixture(members);
    EXPECT_TRUE(std::isfinite(mixture.mean()));
    EXPECT_TRUE(std::isfinite(mixture.sd()));
    for (const double tail : {1e-300, 0.025, 0.5}) {
      const double lower = mixture.lower_quantile(tail);
      const double upper = mixture.upper_quantile(tail);
      double least = std::numeric_limits<double>::infinity();
      double most = -least;
      for (const WeightedGaussian& member : members) {
        const GaussianMixture alone({{member.mean, member.sd, 1.0}});
        least = std::min(least, alone.lower_quantile(tail));
        most = std::max(most, alone.upper_quantile(tail));
      }
      EXPECT_GE(lower, least);
      EXPECT_LE(upper, most);
      EXPECT_TRUE(tail == 0.5 || lower <= upper) << lower << " " << upper;
    }
  }
}

}  // namespace
}  // namespace covary
