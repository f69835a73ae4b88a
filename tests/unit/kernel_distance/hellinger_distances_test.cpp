#include "kernel_distance/hellinger_distances.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <covary/grammar.h>
#include <covary/random.h>

#include "linalg/cholesky.h"

namespace covary {
namespace {

Expression parse(const std::string& text) { return parse_expression(text, InputNames::unnamed(2)); }

std::vector<std::vector<double>> random_inputs(std::size_t num_rows) {
  Random random(9);
  std::vector<std::vector<double>> inputs(2, std::vector<double>(num_rows));
  for (std::vector<double>& column : inputs) {
    for (double& x : column) x = random.uniform();
  }
  return inputs;
}

std::vector<Expression> random_kernels(std::size_t count) {
  Random random(10);
  const Grammar grammar(make_search_space({.max_leaves = 6}, InputNames::unnamed(2)));
  return grammar.grow(grammar.start_kernels(), count, random, Grammar::Repeats::left_out);
}

// At one row the two are normal distributions of one number: 1 - sqrt(2 sqrt(ab) / (a + b)) for
// variances a and b. With one draw both kernels' variances are the same quantile of their priors.
TEST(HellingerDistances, OfOneRowHasAClosedForm) {
  HellingerOptions options;
  options.num_draws = 1;
  options.jitter = 0.0;
  const HellingerDistances distances({{0.25}, {0.5}}, options);
  // The first point of the sequence is the middle; a variance's median under Gamma(2, 3).
  const double v = 1.6783469900166605 / 3.0;
  const double a = v;
  const double b = v * v;
  EXPECT_NEAR(distances.distance(parse("SE_1"), parse("SE_1*SE_2")),
              1.0 - std::sqrt(2.0 * std::sqrt(a * b) / (a + b)), 1e-12);
  EXPECT_NEAR(distances.distance(parse("SE_1"), parse("SE_1 + SE_2")),
              1.0 - std::sqrt(2.0 * std::sqrt(2.0) / 3.0), 1e-12);
}

TEST(HellingerDistances, AreSymmetricBetweenZeroAndOneAndZeroForTheSameKernel) {
  const HellingerDistances distances(random_inputs(20));
  const std::vector<Expression> kernels = random_kernels(25);
  for (const Expression& a : kernels) {
    EXPECT_EQ(distances.distance(a, a), 0.0);
    for (const Expression& b : kernels) {
      EXPECT_EQ(distances.distance(a, b), distances.distance(b, a));
      EXPECT_GE(distances.distance(a, b), 0.0);
      EXPECT_LE(distances.distance(a, b), 1.0);
    }
  }
  EXPECT_GT(distances.distance(parse("SE_1"), parse("SE_2")), 0.1);
}

TEST(HellingerDistances, DoNotDependOnTheOrderOfRows) {
  std::vector<std::vector<double>> inputs = random_inputs(20);
  const HellingerDistances distances(inputs);
  for (std::vector<double>& column : inputs) std::reverse(column.begin(), column.end());
  const HellingerDistances reversed(inputs);
  const std::vector<Expression> kernels = random_kernels(12);
  for (const Expression& kernel : kernels) {
    EXPECT_NEAR(distances.distance(kernels[0], kernel), reversed.distance(kernels[0], kernel),
                1e-7);
  }
}

TEST(HellingerDistances, ListsAndWhatIsKeptDoNotShow) {
  const std::vector<Expression> kernels = random_kernels(20);
  HellingerDistances all(random_inputs(20));
  HellingerOptions forgetful;
  forgetful.max_kept = 3;
  HellingerDistances few(random_inputs(20), forgetful);
  for (std::size_t i = 0; i < 10; ++i) {
    all.add(kernels[i]);
    few.add(kernels[i]);
  }
  few.truncate(8);
  few.add(kernels[8]);
  few.add(kernels[9]);
  const Matrix expected = std::move(all.distances(kernels).front());
  const Matrix found = std::move(few.distances(kernels).front());
  const HellingerDistances alone(random_inputs(20));
  for (std::size_t i = 0; i < 10; ++i) {
    for (std::size_t j = 0; j < kernels.size(); ++j) {
      EXPECT_EQ(found(i, j), expected(i, j));
      EXPECT_EQ(alone.distance(kernels[i], kernels[j]), expected(i, j));
    }
  }
}

// The squared Hellinger distance is a squared distance in a Hilbert space, so that its exponential
// is a kernel.
TEST(HellingerDistances, GiveAPositiveSemiDefiniteKernel) {
  const std::vector<Expression> kernels = random_kernels(40);
  HellingerDistances distances(random_inputs(20));
  for (const Expression& kernel : kernels) distances.add(kernel);
  const Matrix squared = std::move(distances.distances(kernels).front());
  for (const double lengthscale : {0.1, 0.5, 2.0}) {
    Matrix factor(kernels.size(), kernels.size());
    const CholeskyOutcome outcome = cholesky(factor, [&](Matrix& matrix) {
      for (std::size_t i = 0; i < kernels.size() * kernels.size(); ++i) {
        matrix.data()[i] = std::exp(-0.5 * squared.data()[i] / (lengthscale * lengthscale));
      }
      for (std::size_t i = 0; i < kernels.size(); ++i) matrix(i, i) += 1e-9;
    });
    EXPECT_TRUE(outcome.succeeded) << lengthscale;
    EXPECT_EQ(outcome.jitter, 0.0) << lengthscale;
  }
}

}  // namespace
}  // namespace covary
