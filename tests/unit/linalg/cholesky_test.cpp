#include "linalg/cholesky.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>

#include "linalg/symmetric.h"

namespace covary {
namespace {

// B B' + shift I with random B of the given rank.
Matrix random_covariance(std::size_t n, std::size_t rank, double shift, Random& random) {
  Matrix b(n, rank);
  for (std::size_t i = 0; i < n * rank; ++i) b.data()[i] = random.normal();
  Matrix a(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = i == j ? shift : 0.0;
      for (std::size_t k = 0; k < rank; ++k) sum += b(i, k) * b(j, k);
      a(i, j) = sum;
    }
  }
  return a;
}

CholeskyOutcome factor_copy(const Matrix& from, Matrix& to) {
  return cholesky(to, [&](Matrix& m) {
    for (std::size_t j = 0; j < m.num_columns(); ++j) {
      for (std::size_t i = j; i < m.num_rows(); ++i) m(i, j) = from(i, j);
    }
  });
}

TEST(Cholesky, InverseTimesMatrixIsTheIdentityAtAllSizes) {
  Random random(1);
  for (const std::size_t n : {1U, 2U, 7U, 31U, 32U, 33U, 64U, 65U, 100U, 150U}) {
    const Matrix a = random_covariance(n, n, 1.0, random);
    Matrix inverse(n, n);
    ASSERT_TRUE(factor_copy(a, inverse).succeeded);
    invert_from_cholesky(inverse);
    double worst = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        double sum = i == j ? -1.0 : 0.0;
        for (std::size_t k = 0; k < n; ++k) {
          sum += a(i, k) * (k >= j ? inverse(k, j) : inverse(j, k));
        }
        worst = std::max(worst, std::abs(sum));
      }
    }
    EXPECT_LT(worst, 1e-9) << n;
  }
}

TEST(Cholesky, SolvesAndLogDeterminantAgreeWithTheEigenvalues) {
  Random random(2);
  const std::size_t n = 40;
  const Matrix a = random_covariance(n, n, 0.5, random);
  Matrix factor(n, n);
  ASSERT_TRUE(factor_copy(a, factor).succeeded);
  double log_det = 0.0;
  for (const double value : symmetric_eigen(a).values) log_det += std::log(value);
  EXPECT_NEAR(log_determinant(factor), log_det, 1e-9 * std::abs(log_det));

  std::vector<double> x(n, 1.0);
  solve_lower(factor, x);
  solve_lower_transposed(factor, x);
  for (std::size_t i = 0; i < n; ++i) {
    double sum = 0.0;
    for (std::size_t k = 0; k < n; ++k) sum += a(i, k) * x[k];
    EXPECT_NEAR(sum, 1.0, 1e-9);
  }
}

TEST(Cholesky, NeedsNoJitterForADefiniteMatrixAndSaysHowMuchOtherwise) {
  Random random(3);
  Matrix factor(30, 30);
  EXPECT_EQ(factor_copy(random_covariance(30, 30, 1.0, random), factor).jitter, 0.0);

  // Of rank 5: rounding makes some eigenvalues negative.
  const CholeskyOutcome outcome = factor_copy(random_covariance(30, 5, 0.0, random), factor);
  EXPECT_TRUE(outcome.succeeded);
  EXPECT_GT(outcome.jitter, 0.0);
  EXPECT_LE(outcome.jitter, 1e-4 * 1.001);
}

TEST(Cholesky, FailureIsAValueNotANumber) {
  Matrix factor(3, 3);
  const auto fill_with = [&](double diagonal, double other) {
    return cholesky(factor, [&](Matrix& m) {
      for (std::size_t j = 0; j < 3; ++j) {
        for (std::size_t i = j; i < 3; ++i) m(i, j) = i == j ? diagonal : other;
      }
    });
  };
  EXPECT_FALSE(fill_with(1.0, 5.0).succeeded);
  EXPECT_FALSE(fill_with(-1.0, 0.0).succeeded);
  EXPECT_FALSE(fill_with(std::numeric_limits<double>::quiet_NaN(), 0.0).succeeded);
  EXPECT_FALSE(fill_with(1.0, std::numeric_limits<double>::quiet_NaN()).succeeded);
  EXPECT_FALSE(fill_with(std::numeric_limits<double>::infinity(), 0.0).succeeded);
  EXPECT_TRUE(fill_with(1.0, 0.5).succeeded);
}

TEST(LargeCholesky, HasTheSamePolicy) {
  Random random(4);
  for (const std::size_t rank : {5U, 300U}) {
    const Matrix matrix = random_covariance(300, rank, rank < 300 ? 0.0 : 1.0, random);
    Matrix small(300, 300);
    Matrix large(300, 300);
    const CholeskyOutcome expected = factor_copy(matrix, small);
    int num_fills = 0;
    const CholeskyOutcome outcome =
        large_cholesky(large,
                       [&](Matrix& m) {
                         ++num_fills;
                         std::copy_n(matrix.data(), 300 * 300, m.data());
                       },
                       {});
    EXPECT_TRUE(outcome.succeeded);
    EXPECT_EQ(outcome.jitter, expected.jitter);
    EXPECT_EQ(num_fills > 1, outcome.jitter > 0.0);
  }
  Matrix large(2, 2);
  EXPECT_FALSE(
      large_cholesky(large, [](Matrix& m) { std::fill_n(m.data(), 4, NAN); }, {}).succeeded);
}

}  // namespace
}  // namespace covary
