#include "linalg/large_factor.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>

#include "linalg/cholesky.h"
#include "linalg/lapack.h"

namespace covary {
namespace {

constexpr double untouched = 1234.5;  // above the diagonal

// Random numbers and a diagonal that outweighs them.
Matrix random_covariance(std::size_t n, Random& random) {
  Matrix matrix(n, n);
  std::fill_n(matrix.data(), n * n, untouched);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) matrix(i, j) = random.normal();
    matrix(j, j) = 3.0 * static_cast<double>(n) + random.uniform();
  }
  return matrix;
}

int factor_by_lapack(Matrix& matrix) {
  const int n = static_cast<int>(matrix.num_rows());
  int info = 0;
  dpotrf_("L", &n, matrix.data(), &n, &info);
  return info;
}

std::vector<double> numbers_of(const Matrix& matrix) {
  return {matrix.data(), matrix.data() + matrix.num_rows() * matrix.num_columns()};
}

double largest_difference(const Matrix& a, const Matrix& b) {
  double largest = 0.0;
  for (std::size_t k = 0; k < a.num_rows() * a.num_columns(); ++k) {
    largest = std::max(largest, std::abs(a.data()[k] - b.data()[k]));
  }
  return largest;
}

TEST(FactorByTiles, IsLapacksFactorAroundTheEdgesOfTiles) {
  Random random(1);
  for (const std::size_t tile : {1U, 5U, 16U}) {
    for (const std::size_t n : {1U, 4U, 5U, 6U, 15U, 16U, 17U, 31U, 32U, 33U, 80U}) {
      Matrix by_tiles = random_covariance(n, random);
      Matrix expected = Matrix::copy_of(by_tiles);
      ASSERT_EQ(factor_by_lapack(expected), 0);
      ASSERT_EQ(factor_by_tiles(by_tiles, {.threads = 2}, tile), 0U);
      EXPECT_LT(largest_difference(by_tiles, expected), 1e-12) << n << " by " << tile;
    }
  }
  // As it is used, beyond the depth of one product.
  Matrix by_tiles = random_covariance(2600, random);
  Matrix expected = Matrix::copy_of(by_tiles);
  ASSERT_EQ(factor_by_lapack(expected), 0);
  ASSERT_EQ(factor_by_tiles(by_tiles, {}), 0U);
  EXPECT_LT(largest_difference(by_tiles, expected), 1e-10);
}

TEST(FactorByTiles, IsTheSameForEveryNumberOfThreads) {
  Random random(2);
  for (const std::size_t n : {100U, 700U}) {
    const Matrix matrix = random_covariance(n, random);
    std::vector<std::vector<double>> factors;
    for (const std::size_t threads : {1U, 2U, 3U}) {
      Matrix factor = Matrix::copy_of(matrix);
      ASSERT_EQ(factor_by_tiles(factor, {.threads = threads}, 32), 0U);
      factors.push_back(numbers_of(factor));
    }
    EXPECT_EQ(factors[1], factors[0]);
    EXPECT_EQ(factors[2], factors[0]);
  }
}

TEST(FactorByTiles, NoticesWhereLapackDoesThatAMatrixIsNotDefinite) {
  Random random(3);
  const std::size_t n = 70;
  for (const std::size_t bad : {0U, 1U, 15U, 16U, 40U, 69U}) {
    for (const std::size_t threads : {1U, 3U}) {
      Matrix matrix = random_covariance(n, random);
      matrix(bad, bad) = -1.0;
      Matrix expected = Matrix::copy_of(matrix);
      EXPECT_EQ(factor_by_tiles(matrix, {.threads = threads}, 16), bad + 1);
      EXPECT_EQ(factor_by_lapack(expected), static_cast<int>(bad) + 1);
    }
  }
}

// Counted by calls: once the answer is yes, nobody asks again and no tile is begun.
TEST(FactorByTiles, StopsAtTheFirstYes) {
  Random random(4);
  const Matrix matrix = random_covariance(300, random);
  for (const std::size_t threads : {1U, 2U, 3U}) {
    for (const int patience : {0, 1, 7, 60}) {
      Matrix factor = Matrix::copy_of(matrix);
      int num_asked = 0;
      int num_told = 0;
      LongWork work{.threads = threads};
      work.should_stop = [&] { return ++num_asked > patience; };
      work.progress = [&](double /*share*/) { ++num_told; };
      EXPECT_THROW(factor_by_tiles(factor, work, 16), WorkStopped);
      EXPECT_EQ(num_asked, patience + 1);
      EXPECT_EQ(num_told, patience + 1);
    }
  }
}

TEST(FactorByTiles, TellsOfRisingSharesUpToAll) {
  Random random(5);
  Matrix matrix = random_covariance(300, random);
  std::vector<double> shares;
  LongWork work{.threads = 3};
  work.progress = [&](double share) { shares.push_back(share); };
  ASSERT_EQ(factor_by_tiles(matrix, work, 32), 0U);
  EXPECT_TRUE(std::is_sorted(shares.begin(), shares.end()));
  EXPECT_LT(shares.front(), 0.1);
  EXPECT_NEAR(shares.back(), 1.0, 1e-12);
}

TEST(LargeSolve, IsThatOfTheSmallOnesFromAnyRowOn) {
  Random random(6);
  for (const std::size_t n : {3U, 512U, 1100U}) {
    Matrix factor = random_covariance(n, random);
    ASSERT_EQ(factor_by_lapack(factor), 0);
    for (const std::size_t first : {std::size_t{0}, n / 3}) {
      const std::size_t rows = n - first;
      Matrix part(rows, rows);
      for (std::size_t j = 0; j < rows; ++j) {
        std::copy_n(factor.column(first + j) + first, rows, part.column(j));
      }
      Matrix x(rows, 5);
      std::generate_n(x.data(), rows * 5, [&] { return random.normal(); });
      Matrix expected = Matrix::copy_of(x);
      double told = 0.0;
      LongWork work;
      work.progress = [&](double share) { told = share; };
      Checkpoint checkpoint(work, 2.0 * solve_amount(rows, 5));
      solve_lower(factor, first, x, checkpoint);
      solve_lower(part, expected);
      EXPECT_NEAR(told, 0.5, 1e-12);
      EXPECT_LT(largest_difference(x, expected), 1e-12);
      solve_lower_transposed(factor, first, x, checkpoint);
      solve_lower_transposed(part, expected);
      EXPECT_NEAR(told, 1.0, 1e-12);
      EXPECT_LT(largest_difference(x, expected), 1e-12);
    }
  }
}

TEST(InverseDiagonal, IsThatOfTheInverseForEveryNumberOfThreads) {
  Random random(7);
  const std::size_t n = 700;
  Matrix factor = random_covariance(n, random);
  ASSERT_EQ(factor_by_lapack(factor), 0);
  const std::vector<double> diagonal = inverse_diagonal(factor, {.threads = 1});
  EXPECT_EQ(inverse_diagonal(factor, {.threads = 2}), diagonal);
  EXPECT_EQ(inverse_diagonal(factor, {.threads = 3}), diagonal);
  Matrix inverse = Matrix::copy_of(factor);
  invert_from_cholesky(inverse);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(diagonal[i] / inverse(i, i), 1.0, 1e-12);
  }
  int num_asked = 0;
  EXPECT_THROW(
      inverse_diagonal(factor, {.threads = 2, .should_stop = [&] { return ++num_asked > 2; }}),
      WorkStopped);
  EXPECT_EQ(num_asked, 3);
}

TEST(InvertByTiles, IsTheInverseAroundTheEdgesOfTiles) {
  Random random(8);
  for (const std::size_t tile : {1U, 5U, 16U, 40U}) {
    for (const std::size_t n : {1U, 4U, 5U, 6U, 15U, 16U, 17U, 31U, 33U, 80U, 131U}) {
      Matrix by_tiles = random_covariance(n, random);
      ASSERT_EQ(factor_by_lapack(by_tiles), 0);
      Matrix expected = Matrix::copy_of(by_tiles);
      invert_by_tiles(by_tiles, {.threads = 2}, tile);
      invert_from_cholesky(expected);
      EXPECT_LT(largest_difference(by_tiles, expected), 1e-12) << n << " by " << tile;
      if (n > 1) {
        EXPECT_EQ(by_tiles(0, n - 1), untouched);
      }
    }
  }
  // As it is used, beyond the depth of one product.
  Matrix by_tiles = random_covariance(2900, random);
  ASSERT_EQ(factor_by_lapack(by_tiles), 0);
  Matrix expected = Matrix::copy_of(by_tiles);
  invert_by_tiles(by_tiles, {});
  invert_from_cholesky(expected);
  EXPECT_LT(largest_difference(by_tiles, expected), 1e-12);
}

TEST(InvertByTiles, IsTheSameForEveryNumberOfThreadsAndStopsAtTheFirstYes) {
  Random random(9);
  Matrix factor = random_covariance(700, random);
  ASSERT_EQ(factor_by_lapack(factor), 0);
  std::vector<std::vector<double>> inverses;
  for (const std::size_t threads : {1U, 2U, 3U}) {
    Matrix inverse = Matrix::copy_of(factor);
    invert_by_tiles(inverse, {.threads = threads}, 32);
    inverses.push_back(numbers_of(inverse));
    for (const int patience : {0, 7, 300}) {
      Matrix stopped = Matrix::copy_of(factor);
      int num_asked = 0;
      const LongWork work{.threads = threads,
                          .should_stop = [&] { return ++num_asked > patience; }};
      EXPECT_THROW(invert_by_tiles(stopped, work, 32), WorkStopped);
      EXPECT_EQ(num_asked, patience + 1);
    }
  }
  EXPECT_EQ(inverses[1], inverses[0]);
  EXPECT_EQ(inverses[2], inverses[0]);
}

TEST(FactorSeconds, GrowWithTheCubeOfTheRows) {
  const double seconds = factor_seconds(1000, 1);
  EXPECT_GT(seconds, 0.0);
  EXPECT_NEAR(factor_seconds(20'000, 1) / seconds, 8000.0, 1e-6);
}

}  // namespace
}  // namespace covary
