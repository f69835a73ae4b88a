#include "baselines/spectral_input.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "linalg/lapack.h"

namespace covary {
namespace {

constexpr double least_top_cycles = 32.0;

std::size_t num_distinct(std::span<const double> column) {
  std::vector<double> values(column.begin(), column.end());
  std::sort(values.begin(), values.end());
  return static_cast<std::size_t>(std::unique(values.begin(), values.end()) - values.begin());
}

// Frequencies that hold more than a share that rounding would hide.
std::vector<std::size_t> present(std::span<const double> shares) {
  constexpr double least_share = 1e-13;
  std::vector<std::size_t> frequencies;
  for (std::size_t f = 0; f < shares.size(); ++f) {
    if (shares[f] > least_share) frequencies.push_back(f);
  }
  return frequencies;
}

// Those of the frequencies that are present, times the square root of their share.
Matrix scaled_features(const Matrix& features, std::span<const double> shares) {
  const std::vector<std::size_t> frequencies = present(shares);
  const std::size_t n = features.num_rows();
  Matrix scaled(n, 2 * frequencies.size());
  for (std::size_t k = 0; k < frequencies.size(); ++k) {
    const double root = std::sqrt(shares[frequencies[k]]);
    const double* const from = features.column(2 * frequencies[k]);
    double* const to = scaled.column(2 * k);
    for (std::size_t i = 0; i < 2 * n; ++i) to[i] = root * from[i];
  }
  return scaled;
}

}  // namespace

SpectralInput::SpectralInput(std::span<const double> column, std::size_t max_frequencies) {
  const auto [low, high] = std::minmax_element(column.begin(), column.end());
  lowest_ = *low;
  if (*high > *low) range_ = *high - *low;
  const double nyquist = 0.5 * static_cast<double>(num_distinct(column) - 1);
  const double cycles = std::max(nyquist, least_top_cycles);
  const auto wanted = static_cast<std::size_t>(std::ceil(cycles / cycles_apart)) + 1;
  num_frequencies_ = std::max<std::size_t>(std::min(wanted, max_frequencies), 2);
  features_ = features_of(column);
}

double SpectralInput::frequency(std::size_t f) const {
  return cycles_apart * static_cast<double>(f) / range_;
}

std::vector<double> SpectralInput::shares(std::span<const double> log_spectrum) const {
  const double largest = *std::max_element(log_spectrum.begin(), log_spectrum.end());
  std::vector<double> shares(num_frequencies_);
  double sum = 0.0;
  for (std::size_t f = 0; f < num_frequencies_; ++f) {
    const bool is_end = f == 0 || f + 1 == num_frequencies_;
    shares[f] = (is_end ? 0.5 : 1.0) * std::exp(log_spectrum[f] - largest);
    sum += shares[f];
  }
  for (double& share : shares) share /= sum;
  return shares;
}

Matrix SpectralInput::features_of(std::span<const double> points) const {
  Matrix features(points.size(), 2 * num_frequencies_);
  for (std::size_t f = 0; f < num_frequencies_; ++f) {
    const double rate = 2.0 * std::numbers::pi * frequency(f);
    double* const cosine = features.column(2 * f);
    double* const sine = features.column(2 * f + 1);
    for (std::size_t i = 0; i < points.size(); ++i) {
      cosine[i] = std::cos(rate * (points[i] - lowest_));
      sine[i] = std::sin(rate * (points[i] - lowest_));
    }
  }
  return features;
}

void SpectralInput::correlation(std::span<const double> shares, Matrix& out) const {
  const Matrix scaled = scaled_features(features_, shares);
  const int n = static_cast<int>(num_rows());
  const int k = static_cast<int>(scaled.num_columns());
  const double one = 1.0;
  const double zero = 0.0;
  dsyrk("L", "N", &n, &k, &one, scaled.data(), &n, &zero, out.data(), &n);
}

void SpectralInput::cross(std::span<const double> shares, const Matrix& point_features,
                          Matrix& out) const {
  const Matrix rows = scaled_features(features_, shares);
  const Matrix columns = scaled_features(point_features, shares);
  const int m = static_cast<int>(num_rows());
  const int n = static_cast<int>(point_features.num_rows());
  const int k = static_cast<int>(rows.num_columns());
  const double one = 1.0;
  const double zero = 0.0;
  dgemm("N", "T", &m, &n, &k, &one, rows.data(), &m, columns.data(), &n, &zero, out.data(), &m);
}

std::vector<double> SpectralInput::slopes(std::span<const double> shares,
                                          const Matrix& weights) const {
  // With z the cosines and sines of the rows, Σ_ij weights_ij cos(2π ω (x_i - x_j)) = z' weights z.
  const Matrix scaled = scaled_features(features_, shares);
  const std::size_t n = num_rows();
  Matrix products(n, scaled.num_columns());
  const int rows = static_cast<int>(n);
  const int columns = static_cast<int>(scaled.num_columns());
  const double one = 1.0;
  const double zero = 0.0;
  dsymm("L", "L", &rows, &columns, &one, weights.data(), &rows, scaled.data(), &rows, &zero,
        products.data(), &rows);
  const std::vector<std::size_t> frequencies = present(shares);
  std::vector<double> slopes(num_frequencies_, 0.0);
  double mean = 0.0;
  for (std::size_t k = 0; k < frequencies.size(); ++k) {
    const double* const a = scaled.column(2 * k);
    const double* const b = products.column(2 * k);
    double sum = 0.0;
    for (std::size_t i = 0; i < 2 * n; ++i) sum += a[i] * b[i];
    slopes[frequencies[k]] = sum;
    mean += sum;
  }
  // d k / d log S_f = share_f (cos - k): the spectrum is divided by its sum.
  for (const std::size_t f : frequencies) slopes[f] -= shares[f] * mean;
  return slopes;
}

}  // namespace covary
