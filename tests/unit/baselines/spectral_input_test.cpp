#include "baselines/spectral_input.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "baselines/matern_path.h"
#include "linalg/symmetric.h"
#include "unit/baselines/simulated_data.h"

namespace covary {
namespace {

constexpr std::size_t max_frequencies = 300;

Numbers random_log_spectrum(const SpectralInput& input, double slope, Random& random) {
  Numbers values(input.num_frequencies());
  for (std::size_t f = 0; f < values.size(); ++f) {
    values[f] = 4.0 * random.normal() - slope * input.frequency(f);
  }
  return values;
}

TEST(MaternPath, HasExactlyTheMaternCovariance) {
  constexpr std::size_t size = 40;
  for (const double step : {least_matern_step, 0.1, 0.7, 3.0, largest_matern_step}) {
    // The path is linear in the white numbers: column k is what the k-th of them does.
    Matrix map(size, 2 * size);
    for (std::size_t k = 0; k < 2 * size; ++k) {
      Numbers white(2 * size, 0.0);
      white[k] = 1.0;
      matern_path(step, white, {map.column(k), size});
    }
    for (std::size_t i = 0; i < size; ++i) {
      for (std::size_t j = 0; j < size; ++j) {
        double covariance = 0.0;
        for (std::size_t k = 0; k < 2 * size; ++k) covariance += map(i, k) * map(j, k);
        const double r = step * std::abs(static_cast<double>(i) - static_cast<double>(j));
        ASSERT_NEAR(covariance, (1.0 + r) * std::exp(-r), 1e-9) << step << " " << i << " " << j;
      }
    }
  }
}

TEST(MaternPath, DerivativeMatchesFiniteDifferences) {
  Random random(1);
  Numbers white(100);
  for (double& z : white) z = random.normal();
  for (const double step : {0.02, 0.3, 2.0}) {
    Numbers path(50);
    Numbers derivative(50);
    Numbers above(50);
    Numbers below(50);
    const double h = 1e-5 * step;
    matern_path(step, white, path, derivative);
    matern_path(step + h, white, above);
    matern_path(step - h, white, below);
    for (std::size_t i = 0; i < 50; ++i) {
      const double slope = (above[i] - below[i]) / (2.0 * h);
      ASSERT_NEAR(derivative[i], slope, 1e-5 * (1.0 + std::abs(slope))) << step << " " << i;
    }
  }
}

// By Poisson's formula the trapezoid rule adds the kernel's copies four ranges away, and nothing
// else as long as the spectrum ends before the grid does.
TEST(SpectralInput, IsTheSquaredExponentialForItsSpectrum) {
  Random random(2);
  for (const double range : {1.0, 0.05, 300.0}) {
    Numbers column = uniform_inputs(30, 1, random)[0];
    column[0] = 0.0;
    column[1] = 1.0;
    for (double& x : column) x = 7.0 + range * x;
    const SpectralInput input(column, max_frequencies);
    for (const double share_of_range : {0.05, 0.1, 0.3, 0.45}) {
      const double lengthscale = share_of_range * range;
      Numbers log_spectrum(input.num_frequencies());
      for (std::size_t f = 0; f < log_spectrum.size(); ++f) {
        const double angle = 2.0 * std::numbers::pi * lengthscale * input.frequency(f);
        log_spectrum[f] = 5.0 - 0.5 * angle * angle;  // the constant does not matter
      }
      Matrix correlation(30, 30);
      input.correlation(input.shares(log_spectrum), correlation);
      const double copies = 2.0 * std::exp(-0.5 * std::pow(3.0 / share_of_range, 2.0));
      for (std::size_t j = 0; j < 30; ++j) {
        for (std::size_t i = j; i < 30; ++i) {
          const double z = (column[i] - column[j]) / lengthscale;
          ASSERT_NEAR(correlation(i, j), std::exp(-0.5 * z * z), copies + 1e-11);
        }
      }
    }
  }
}

TEST(SpectralInput, MakesPositiveSemiDefiniteMatricesWithAUnitDiagonalOfAnySpectrum) {
  Random random(3);
  constexpr std::size_t n = 40;
  for (int trial = 0; trial < 50; ++trial) {
    Numbers column = uniform_inputs(n, 1, random)[0];
    std::fill_n(column.begin(), random.index(20), 0.25);  // rows may repeat
    const SpectralInput input(column, max_frequencies);
    const Numbers shares = input.shares(random_log_spectrum(input, 3.0 * random.uniform(), random));
    ASSERT_NEAR(std::accumulate(shares.begin(), shares.end(), 0.0), 1.0, 1e-12);
    Matrix correlation(n, n);
    input.correlation(shares, correlation);
    for (std::size_t i = 0; i < n; ++i) ASSERT_NEAR(correlation(i, i), 1.0, 1e-10);
    ASSERT_GE(symmetric_eigen(correlation).values.front(), -1e-12);
  }
}

TEST(SpectralInput, CrossCorrelationsAreTheSameFunction) {
  Random random(4);
  const Numbers column = uniform_inputs(15, 1, random)[0];
  const SpectralInput input(column, max_frequencies);
  const Numbers shares = input.shares(random_log_spectrum(input, 0.5, random));
  Matrix correlation(15, 15);
  Matrix cross(15, 15);
  input.correlation(shares, correlation);
  input.cross(shares, input.features_of(column), cross);
  for (std::size_t j = 0; j < 15; ++j) {
    for (std::size_t i = j; i < 15; ++i) {
      double sum = 0.0;
      for (std::size_t f = 0; f < shares.size(); ++f) {
        const double cycles = input.frequency(f) * (column[i] - column[j]);
        sum += shares[f] * std::cos(2.0 * std::numbers::pi * cycles);
      }
      ASSERT_NEAR(correlation(i, j), sum, 1e-9);
      ASSERT_NEAR(cross(i, j), sum, 1e-9);
    }
  }
}

TEST(SpectralInput, SlopesMatchFiniteDifferences) {
  Random random(5);
  constexpr std::size_t n = 12;
  const SpectralInput input(uniform_inputs(n, 1, random)[0], max_frequencies);
  Matrix weights(n, n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) weights(j, i) = weights(i, j) = random.normal();
  }
  Numbers log_spectrum = random_log_spectrum(input, 1.0, random);
  const auto weighted_sum = [&] {
    Matrix correlation(n, n);
    input.correlation(input.shares(log_spectrum), correlation);
    double sum = 0.0;
    for (std::size_t j = 0; j < n; ++j) {
      sum += weights(j, j) * correlation(j, j);
      for (std::size_t i = j + 1; i < n; ++i) sum += 2.0 * weights(i, j) * correlation(i, j);
    }
    return sum;
  };
  const Numbers slopes = input.slopes(input.shares(log_spectrum), weights);
  for (std::size_t f = 0; f < log_spectrum.size(); ++f) {
    constexpr double step = 1e-4;
    const double value = log_spectrum[f];
    log_spectrum[f] = value + step;
    const double above = weighted_sum();
    log_spectrum[f] = value - step;
    const double below = weighted_sum();
    log_spectrum[f] = value;
    ASSERT_NEAR(slopes[f], (above - below) / (2.0 * step), 1e-7) << f;
  }
}

}  // namespace
}  // namespace covary
