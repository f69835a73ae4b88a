#pragma once

#include <span>
#include <vector>

#include <covary/random.h>

#include "linalg/cholesky.h"
#include "linalg/matrix.h"

namespace covary {

// The exact posterior of a zero-mean Gaussian process at given covariances (paper, section 2.1).
// Knows matrices only, not kernels.
class Posterior {
 public:
  // `factor` is the Cholesky factor of K + σ²I in the lower triangle.
  Posterior(Matrix factor, std::span<const double> target);

  std::size_t num_rows() const { return alpha_.size(); }
  std::span<const double> alpha() const { return alpha_; }  // (K + σ²I)^-1 y

  // One more row, given its covariances with the others and its variance, noise included.
  void append(std::span<const double> covariances, double variance, double target);

  // `cross` holds the covariances of training rows (rows) with new points (columns).
  std::vector<double> mean(const Matrix& cross) const;
  // The variance of the function, never negative; overwrites `cross` by L^-1 cross.
  std::vector<double> variance(Matrix& cross, std::span<const double> prior_variance) const;
  // prior := prior - cross' K^-1 cross, whole and symmetric; overwrites `cross`.
  void covariance(Matrix& cross, Matrix& prior) const;

  // Leave-one-out predictions of y in closed form.
  struct LeaveOneOut {
    std::vector<double> mean;
    std::vector<double> variance;
  };
  LeaveOneOut leave_one_out(std::span<const double> target) const;

 private:
  Matrix factor_;
  std::vector<double> alpha_;
};

// Draws from N(mean, covariance), one a column; jitter as for every Cholesky factorisation.
Matrix sample_gaussian(std::span<const double> mean, const Matrix& covariance,
                       std::size_t num_samples, Random& random);

}  // namespace covary
