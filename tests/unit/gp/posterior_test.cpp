#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <covary/error.h>

#include "gp/dense_posterior.h"
#include "gp/gaussian_draws.h"
#include "linalg/cholesky.h"

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

DensePosterior posterior_of(const std::vector<double>& x, const std::vector<double>& y,
                            double noise, std::size_t few = many_rows) {
  Matrix factor(x.size(), x.size());
  const Matrix filled = covariance_of(x, noise);
  const CholeskyOutcome outcome = cholesky(factor, [&](Matrix& matrix) {
    std::copy_n(filled.data(), x.size() * x.size(), matrix.data());
  });
  EXPECT_TRUE(outcome.succeeded);
  return {std::move(factor), y, 0.0, few};
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
    DensePosterior grown = posterior_of({x[0]}, {y[0]}, noise);
    for (std::size_t i = 1; i < x.size(); ++i) {
      const Matrix covariances = cross_of({x.begin(), x.begin() + static_cast<int>(i)}, {x[i]});
      grown.append({covariances.data(), i}, 1.0 + noise, y[i]);
    }
    const DensePosterior whole = posterior_of(x, y, noise);
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
  DensePosterior posterior = posterior_of({0.0, 1.0}, {1.0, 2.0}, 0.0);
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
  const DensePosterior whole = posterior_of(x, y, 0.1);
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
    const std::vector<double> alpha = whole.alpha_without(held_out);
    const DensePosterior rest = posterior_of(other_x, other_y, 0.1);
    for (std::size_t k = 0; k < others.size(); ++k) {
      EXPECT_NEAR(alpha[others[k]], rest.alpha()[k], 1e-9);
    }
    for (const std::size_t row : held_out) EXPECT_EQ(alpha[row], 0.0);
  }
}

TEST(Posterior, LeavesEachRowOutAsAPosteriorOfTheOthersDoes) {
  Random random(3);
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 20; ++i) {
    x.push_back(3.0 * random.uniform());
    y.push_back(random.normal());
  }
  DensePosterior posterior = posterior_of({x.begin(), x.end() - 1}, {y.begin(), y.end() - 1}, 0.1);
  EXPECT_EQ(posterior.leave_one_out().variance.size(), 19U);
  // What was computed for fewer rows must not outlive them.
  const Matrix covariances = cross_of({x.begin(), x.end() - 1}, {x.back()});
  posterior.append({covariances.data(), 19}, 1.1, y.back());
  const Posterior::LeaveOneOut& loo = posterior.leave_one_out();
  ASSERT_EQ(loo.variance.size(), 20U);
  for (std::size_t left_out = 0; left_out < 20; ++left_out) {
    std::vector<double> other_x = x;
    std::vector<double> other_y = y;
    other_x.erase(other_x.begin() + static_cast<int>(left_out));
    other_y.erase(other_y.begin() + static_cast<int>(left_out));
    const DensePosterior rest = posterior_of(other_x, other_y, 0.1);
    Matrix cross = cross_of(other_x, {x[left_out]});
    EXPECT_NEAR(y[left_out] - loo.residual[left_out], rest.mean(cross)[0], 1e-9);
    EXPECT_NEAR(loo.variance[left_out], 0.1 + rest.variance(cross, std::vector<double>{1.0})[0],
                1e-9);
  }
}

TEST(Posterior, AnswersThreadsThatAskForTheInverseWhileOthersPredict) {
  Random random(4);
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 200; ++i) {
    x.push_back(3.0 * random.uniform());
    y.push_back(random.normal());
  }
  const std::vector<double> prior(5, 1.0);
  const std::vector<double> places = {-1.0, 0.1, 1.5, 2.9, 9.0};
  const DensePosterior alone = posterior_of(x, y, 0.1);
  Matrix cross = cross_of(x, places);
  const std::vector<double> variance = alone.variance(cross, prior);
  const std::vector<double> alpha = alone.alpha_without(std::vector<std::size_t>{3, 77});
  const DensePosterior shared = posterior_of(x, y, 0.1);
  std::vector<std::thread> threads;
  threads.reserve(4);
  std::atomic<int> num_wrong = 0;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      Matrix own = cross_of(x, places);
      if (t % 2 == 0 && shared.alpha_without(std::vector<std::size_t>{3, 77}) != alpha) ++num_wrong;
      if (shared.variance(own, prior) != variance) ++num_wrong;
      if (shared.leave_one_out().variance != alone.leave_one_out().variance) ++num_wrong;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_wrong, 0);
}

TEST(Posterior, DrawsAlphasOfTargetsOfItsOwn) {
  const std::vector<double> x = {0.0, 0.3, 1.0};
  const DensePosterior posterior = posterior_of(x, {1.0, 2.0, 3.0}, 0.5);
  Random random(5);
  constexpr std::size_t num_draws = 40'000;
  const Matrix alphas = posterior.draw_alphas(num_draws, random);
  // Their covariance is the inverse, whose diagonal leaving one out knows.
  for (std::size_t i = 0; i < 3; ++i) {
    double square = 0.0;
    for (std::size_t s = 0; s < num_draws; ++s) square += alphas(i, s) * alphas(i, s) / num_draws;
    EXPECT_NEAR(square * posterior.leave_one_out().variance[i], 1.0, 0.03);
  }
}

// Forty are many here.
TEST(PosteriorOfManyRows, AnswersAsThatOfFewRows) {
  Random random(9);
  std::vector<double> x;
  std::vector<double> y;
  for (int i = 0; i < 700; ++i) {
    x.push_back(30.0 * random.uniform());
    y.push_back(random.normal());
  }
  const DensePosterior few = posterior_of(x, y, 0.1);
  const DensePosterior many = posterior_of(x, y, 0.1, 40);
  const auto expect_near = [](std::span<const double> a, std::span<const double> b) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-9);
  };
  const std::vector<std::size_t> held_out = {3, 77, 500, 698, 699};
  expect_near(many.alpha_without(held_out), few.alpha_without(held_out));
  expect_near(many.leave_one_out().variance, few.leave_one_out().variance);
  expect_near(many.leave_one_out().residual, few.leave_one_out().residual);
  const std::vector<double> places = {-1.0, 0.1, 1.5, 2.9, 9.0};
  const std::vector<double> prior(places.size(), 1.0);
  Matrix first = cross_of(x, places);
  Matrix second = cross_of(x, places);
  expect_near(many.variance(first, prior), few.variance(second, prior));
  Matrix one(5, 5);
  Matrix other(5, 5);
  std::fill_n(one.data(), 25, 1.0);
  std::fill_n(other.data(), 25, 1.0);
  first = cross_of(x, places);
  second = cross_of(x, places);
  many.covariance(first, one);
  few.covariance(second, other);
  expect_near({one.data(), 25}, {other.data(), 25});
  Random same = random;
  const Matrix draws = many.draw_alphas(3, random);
  const Matrix expected = few.draw_alphas(3, same);
  expect_near({draws.data(), 2100}, {expected.data(), 2100});
}

TEST(PosteriorOfManyRows, IsStoppedAndAnswersTheNextTime) {
  Random random(10);
  std::vector<double> x;
  for (int i = 0; i < 100; ++i) x.push_back(3.0 * random.uniform());
  const DensePosterior many = posterior_of(x, x, 0.1, 40);
  int num_asked = 0;
  const LongWork stopped{.should_stop = [&] { return ++num_asked > 0; }};
  EXPECT_THROW(many.leave_one_out(stopped), WorkStopped);
  EXPECT_EQ(num_asked, 1);
  EXPECT_THROW(many.alpha_without(std::vector<std::size_t>{3}, stopped), WorkStopped);
  Matrix cross = cross_of(x, {0.5});
  EXPECT_THROW(many.variance(cross, std::vector<double>{1.0}, stopped), WorkStopped);
  EXPECT_EQ(num_asked, 3);
  EXPECT_EQ(many.leave_one_out().variance.size(), 100U);
}

// Variances of a millionth of a unit that are all rounding: no jitter makes them definite.
TEST(SampleGaussian, SpreadsByWhatIsPositiveOfAMatrixThatCannotBeFactored) {
  Matrix covariance(3, 3);
  const double rows[3][3] = {{1.0, 1.0, 0.9}, {1.0, 1.0, 1.0}, {0.9, 1.0, 1.0}};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) covariance(i, j) = 1e-12 * rows[i][j];
  }
  Random random(6);
  constexpr std::size_t num_samples = 4000;
  const Matrix draws =
      sample_gaussian(std::vector<double>{1.0, 2.0, 3.0}, covariance, num_samples, random);
  for (std::size_t i = 0; i < 3; ++i) {
    double square = 0.0;
    for (std::size_t s = 0; s < num_samples; ++s) {
      const double rest = draws(i, s) - static_cast<double>(i + 1);
      square += rest * rest / num_samples;
    }
    EXPECT_NEAR(std::sqrt(square), 1e-6, 1e-7);
  }
}

TEST(SampleGaussian, HasNoSpreadWithoutVariance) {
  Matrix covariance(2, 2);
  std::fill_n(covariance.data(), 4, 0.0);
  Random random(7);
  const Matrix draws = sample_gaussian(std::vector<double>{1.0, 2.0}, covariance, 3, random);
  for (std::size_t s = 0; s < 3; ++s) {
    EXPECT_EQ(draws(0, s), 1.0);
    EXPECT_EQ(draws(1, s), 2.0);
  }
}

TEST(SampleGaussian, RefusesACovarianceThatIsNoNumber) {
  Matrix covariance = covariance_of({0.0, 1.0}, 0.1);
  covariance(1, 0) = std::numeric_limits<double>::quiet_NaN();
  Random random(8);
  EXPECT_THROW(sample_gaussian(std::vector<double>{1.0, 2.0}, covariance, 3, random), Error);
}

// Variances so small that the inverse leaves the range of doubles.
TEST(Posterior, RefusesToHoldRowsOutWhereItsMatrixHasNoInverse) {
  Matrix factor = covariance_of({0.0, 9.0}, 0.0);
  for (std::size_t j = 0; j < 2; ++j) {
    for (std::size_t i = 0; i < 2; ++i) factor(i, j) = i == j ? 1e-160 : 0.0;
  }
  const DensePosterior posterior(std::move(factor), std::vector<double>{1.0, 2.0});
  EXPECT_THROW(posterior.alpha_without(std::vector<std::size_t>{0}), Error);
}

}  // namespace
}  // namespace covary
