#include "gp/posterior.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "gp/held_out.h"

namespace covary {
namespace {

// Covariances of points on a line, with noise on the diagonal.
Matrix covariance_of(const std::vector<double>& x, double noise_variance) {
  Matrix matrix(x.size(), x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < x.size(); ++j) matrix(i, j) = std::exp(-std::abs(x[i] - x[j]));
    matrix(i, i) += noise_variance;
  }
  return matrix;
}

Posterior posterior_of(const std::vector<double>& x, const std::vector<double>& y, double noise) {
  Matrix factor(x.size(), x.size());
  const Matrix filled = covariance_of(x, noise);
  cholesky(factor,
           [&](Matrix& matrix) { std::copy_n(filled.data(), x.size() * x.size(), matrix.data()); });
  return {std::move(factor), y};
}

Matrix cross_of(const std::vector<double>& rows, const std::vector<double>& columns) {
  Matrix cross(rows.size(), columns.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      cross(i, j) = std::exp(-std::abs(rows[i] - columns[j]));
    }
  }
  return cross;
}

TEST(Posterior, GrownRowByRowEqualsTheOneOfAllRows) {
  Random random(1);
  for (const double noise : {1e-3, 0.5}) {
    std::vector<double> x;
    std::vector<double> y;
    for (int i = 0; i < 30; ++i) {
      x.push_back(3.0 * random.uniform());
      y.push_back(random.normal());
    }
    Posterior grown = posterior_of({x[0]}, {y[0]}, noise);
    for (std::size_t i = 1; i < x.size(); ++i) {
      const Matrix covariances = cross_of({x.begin(), x.begin() + static_cast<int>(i)}, {x[i]});
      grown.append({covariances.data(), i}, 1.0 + noise, y[i]);
    }
    const Posterior whole = posterior_of(x, y, noise);
    const std::vector<double> places = {-1.0, 0.1, 1.5, 2.9, 9.0};
    Matrix first = cross_of(x, places);
    Matrix second = cross_of(x, places);
    const std::vector<double> prior(places.size(), 1.0);
    ASSERT_EQ(grown.num_rows(), whole.num_rows());
    const std::vector<double> grown_mean = grown.mean(first);
    const std::vector<double> whole_mean = whole.mean(second);
    const std::vector<double> grown_variance = grown.variance(first, prior);
    const std::vector<double> whole_variance = whole.variance(second, prior);
    for (std::size_t j = 0; j < places.size(); ++j) {
      EXPECT_NEAR(grown_mean[j], whole_mean[j], 1e-9);
      EXPECT_NEAR(grown_variance[j], whole_variance[j], 1e-9);
    }
  }
}

TEST(Posterior, StaysFiniteWhenARowIsAppendedAgainWithoutNoise) {
  Posterior posterior = posterior_of({0.0, 1.0}, {1.0, 2.0}, 0.0);
  const Matrix covariances = cross_of({0.0, 1.0}, {1.0});
  posterior.append({covariances.data(), 2}, 1.0, 2.0);
  Matrix cross = cross_of({0.0, 1.0, 1.0}, {1.0});
  EXPECT_NEAR(posterior.mean(cross)[0], 2.0, 1e-6);
  EXPECT_NEAR(posterior.variance(cross, std::vector<double>{1.0})[0], 0.0, 1e-6);
}

TEST(AlphaWithout, IsThatOfThePosteriorOfTheOtherRows) {
  Random random(2);
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 30; ++i) {
    x.push_back(3.0 * random.uniform());
    y.push_back(random.normal());
  }
  Matrix inverse(30, 30);
  const Matrix filled = covariance_of(x, 0.1);
  cholesky(inverse, [&](Matrix& m) { std::copy_n(filled.data(), 900, m.data()); });
  invert_from_cholesky(inverse);
  const Posterior whole = posterior_of(x, y, 0.1);
  for (const std::vector<std::size_t>& held_out :
       {std::vector<std::size_t>{7}, {0, 1, 2, 3, 4}, {29, 3, 15, 8}}) {
    std::vector<double> other_x;
    std::vector<double> other_y;
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < 30; ++i) {
      if (std::find(held_out.begin(), held_out.end(), i) != held_out.end()) continue;
      others.push_back(i);
      other_x.push_back(x[i]);
      other_y.push_back(y[i]);
    }
    const std::vector<double> alpha = alpha_without(inverse, whole.alpha(), held_out);
    const Posterior rest = posterior_of(other_x, other_y, 0.1);
    for (std::size_t k = 0; k < others.size(); ++k) {
      EXPECT_NEAR(alpha[others[k]], rest.alpha()[k], 1e-9);
    }
    for (const std::size_t row : held_out) EXPECT_EQ(alpha[row], 0.0);
  }
}

}  // namespace
}  // namespace covary
