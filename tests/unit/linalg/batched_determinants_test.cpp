#include "linalg/batched_determinants.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>

#include "linalg/cholesky.h"
#include "linalg/matrix.h"

namespace covary {
namespace {

// X X' of n random columns of length n, scaled, and a little more on the diagonal.
Matrix random_positive(std::size_t n, double scale, Random& random) {
  Matrix x(n, n);
  for (std::size_t i = 0; i < n * n; ++i) x.data()[i] = random.normal();
  Matrix product(n, n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double sum = i == j ? 1e-3 : 0.0;
      for (std::size_t k = 0; k < n; ++k) sum += x(i, k) * x(j, k);
      product(i, j) = scale * sum;
    }
  }
  return product;
}

double by_lapack(const Matrix& a, const Matrix& b) {
  Matrix factor(a.num_rows(), a.num_rows());
  const CholeskyOutcome outcome = cholesky(factor, [&](Matrix& matrix) {
    for (std::size_t j = 0; j < a.num_rows(); ++j) {
      for (std::size_t i = 0; i < a.num_rows(); ++i) matrix(i, j) = 0.5 * (a(i, j) + b(i, j));
    }
  });
  EXPECT_TRUE(outcome.succeeded);
  return log_determinant(factor);
}

TEST(SymmetricBatch, LogDeterminantsAreThoseOfLapack) {
  Random random(4);
  for (const std::size_t n : {1U, 2U, 7U, 8U, 9U, 20U, 25U}) {
    for (const std::size_t count : {1U, 7U, 8U, 9U, 100U}) {
      SymmetricBatch first(n, count);
      SymmetricBatch second(n, count);
      std::vector<Matrix> a;
      std::vector<Matrix> b;
      for (std::size_t m = 0; m < count; ++m) {
        // Far too large for the determinant itself to be a double.
        a.push_back(random_positive(n, std::exp(10.0 * std::abs(random.normal())), random));
        b.push_back(random_positive(n, std::exp(10.0 * std::abs(random.normal())), random));
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 0; j <= i; ++j) {
            first(m, i, j) = a.back()(i, j);
            second(m, i, j) = b.back()(i, j);
          }
        }
      }
      for (const VectorWidth width :
           {VectorWidth::baseline, VectorWidth::wide, VectorWidth::widest}) {
        if (width > vector_width()) break;
        const std::vector<double> of_first = first.log_determinants(nullptr, width);
        const std::vector<double> of_mean = first.log_determinants(&second, width);
        ASSERT_EQ(of_first.size(), count);
        for (std::size_t m = 0; m < count; ++m) {
          EXPECT_NEAR(of_first[m], by_lapack(a[m], a[m]), 1e-6 * static_cast<double>(n));
          EXPECT_NEAR(of_mean[m], by_lapack(a[m], b[m]), 1e-6 * static_cast<double>(n));
        }
      }
    }
  }
}

TEST(SymmetricBatch, AMatrixThatRoundingMadeIndefiniteHasAFiniteLogDeterminant) {
  SymmetricBatch batch(2, 1);
  batch(0, 0, 0) = 1.0;
  batch(0, 1, 0) = 1.0 + 1e-9;
  batch(0, 1, 1) = 1.0;
  EXPECT_DOUBLE_EQ(batch.log_determinants()[0], std::log(SymmetricBatch::least_pivot));
}

}  // namespace
}  // namespace covary
