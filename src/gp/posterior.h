#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include <covary/random.h>

#include "linalg/cholesky.h"
#include "linalg/matrix.h"

namespace covary {

// The exact posterior of a zero-mean Gaussian process at given covariances (paper, section 2.1).
// Knows matrices only, not kernels. All that is asked of a model after its fit is an operation
// here, so that nobody else needs the factor or the inverse. Below, P = (K + σ²I)^-1 and α = P y.
// Safe to share by threads, append() aside.
class Posterior {
 public:
  // `factor` is the Cholesky factor of K + σ²I in the lower triangle, `jitter` what it took.
  Posterior(Matrix factor, std::span<const double> target, double jitter = 0.0);
  Posterior(Posterior&&) noexcept;
  Posterior& operator=(Posterior&&) noexcept;
  ~Posterior();

  std::size_t num_rows() const { return alpha_.size(); }
  std::span<const double> target() const { return target_; }
  std::span<const double> alpha() const { return alpha_; }
  double jitter() const { return jitter_; }
  double log_marginal_likelihood() const;

  // One more row, given its covariances with the others and its variance, noise included.
  void append(std::span<const double> covariances, double variance, double target);

  // `cross` holds the covariances of training rows (rows) with new points (columns).
  std::vector<double> mean(const Matrix& cross) const;
  // The variance of the function, never negative; overwrites `cross` by L^-1 cross.
  std::vector<double> variance(Matrix& cross, std::span<const double> prior_variance) const;
  // prior := prior - cross' P cross, whole and symmetric; overwrites `cross`.
  void covariance(Matrix& cross, Matrix& prior) const;

  // Each row as all the others predict it, in closed form; computed once, at the first call.
  struct LeaveOneOut {
    std::vector<double> residual;  // target less mean: α_i / P_ii
    std::vector<double> variance;  // of y, noise included: 1 / P_ii
  };
  const LeaveOneOut& leave_one_out() const;

  // α of the posterior that has not seen the rows H, as a vector over all rows with zeros at those:
  //   α₋ = α − P[:, H] P[H, H]^-1 α[H].
  // Throws Error if that cannot be computed.
  std::vector<double> alpha_without(std::span<const std::size_t> held_out) const;

  // α of targets drawn from the model itself, one a column: normal with covariance P.
  Matrix draw_alphas(std::size_t num_draws, Random& random) const;

 private:
  struct Derived;
  const Derived& derived() const;
  double inverse(std::size_t i, std::size_t j) const;

  mutable Matrix factor_;  // below the diagonal; above it, once asked for, the inverse
  std::vector<double> target_;
  std::vector<double> alpha_;
  double jitter_;
  std::unique_ptr<Derived> derived_;
};

// Draws from N(mean, covariance), one a column. A covariance that rounding has made too indefinite
// to be factored is taken without its negative eigenvalues. Throws Error if it is not finite.
Matrix sample_gaussian(std::span<const double> mean, const Matrix& covariance,
                       std::size_t num_samples, Random& random);

}  // namespace covary
