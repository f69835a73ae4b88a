#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linalg/matrix.h"

namespace covary {

// One input's frequencies, and its rows' cosines and sines at them. A spectrum on the grid makes
// the stationary correlation k(x - x') = Σ_f share_f cos(2π ω_f (x - x')): the trapezoid rule for
// ∫ S(ω) cos(2π ω (x - x')) dω, divided by its value at 0. As a product of matrices it is positive
// semi-definite whatever the spectrum.
class SpectralInput {
 public:
  // Frequencies are a quarter of a cycle over the column's range apart, so that the correlation
  // repeats itself only after four ranges, and reach up to the mean Nyquist frequency or, where
  // that is lower, to 32 cycles over the range. REQUIRES: at least one row.
  SpectralInput(std::span<const double> column, std::size_t max_frequencies);

  static constexpr double cycles_apart = 0.25;
  std::size_t num_rows() const { return features_.num_rows(); }
  std::size_t num_frequencies() const { return num_frequencies_; }
  double frequency(std::size_t f) const;  // in cycles per unit of the column

  // Of the trapezoid rule's sum, for the logarithm of a spectrum up to a constant. Add up to 1.
  std::vector<double> shares(std::span<const double> log_spectrum) const;

  // The lower triangle of the rows' correlations.
  void correlation(std::span<const double> shares, Matrix& out) const;
  // Cosines and sines of other points, for cross(): out(i, j) = k(row i, point j).
  Matrix features_of(std::span<const double> points) const;
  void cross(std::span<const double> shares, const Matrix& point_features, Matrix& out) const;

  // Σ_ij weights(i, j) d k(x_i, x_j) / d log_spectrum_f for every f. `weights` is symmetric, and
  // only its lower triangle is read.
  std::vector<double> slopes(std::span<const double> shares, const Matrix& weights) const;

 private:
  double lowest_ = 0.0;
  double range_ = 1.0;
  std::size_t num_frequencies_ = 0;
  Matrix features_;  // a cosine and a sine column for every frequency
};

}  // namespace covary
