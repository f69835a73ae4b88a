#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <covary/long_work.h>
#include <covary/random.h>

#include "linalg/matrix.h"

namespace covary {

// The posterior of a zero-mean Gaussian process at given covariances (paper, section 2.1). Knows
// matrices only, not kernels. All that is asked of a model after its fit is an operation here, so
// that nobody above needs to know how it is done. Below, P = (K + σ²I)^-1 and α = P y. Safe to
// share by threads.
//
// Of many rows each of these is long work of the calling thread, leave-one-out of several; with a
// `work` it can be stopped, and throws WorkStopped then.
class Posterior {
 public:
  virtual ~Posterior() = default;

  virtual std::size_t num_rows() const = 0;
  virtual std::span<const double> target() const = 0;
  // The rows that new points are predicted from, in rising order, of an approximation; nothing of
  // an exact posterior: all rows.
  virtual std::optional<std::span<const std::size_t>> support() const { return std::nullopt; }
  virtual std::span<const double> alpha() const = 0;  // an approximation throws Error: it has none
  virtual double jitter() const = 0;                  // that it took, relative to the mean diagonal

  // Between which the log evidence of the rows lies; of an exact posterior both are it.
  struct Interval {
    double lower = 0.0;
    double upper = 0.0;
  };
  virtual Interval log_marginal_likelihood_interval() const = 0;
  // The middle of it.
  double log_marginal_likelihood() const {
    const Interval interval = log_marginal_likelihood_interval();
    return interval.lower + 0.5 * (interval.upper - interval.lower);
  }

  // `cross` holds the covariances of the support (rows) with new points (columns).
  virtual std::vector<double> mean(const Matrix& cross) const = 0;
  // The variance of the function, never negative; may overwrite `cross`.
  virtual std::vector<double> variance(Matrix& cross, std::span<const double> prior_variance,
                                       const LongWork& work = {}) const = 0;
  // prior := prior - cross' P cross, whole and symmetric; may overwrite `cross`.
  virtual void covariance(Matrix& cross, Matrix& prior, const LongWork& work = {}) const = 0;

  // Each row as all the others predict it, in closed form; computed once, at the first call.
  struct LeaveOneOut {
    std::vector<double> residual;  // target less mean: α_i / P_ii
    std::vector<double> variance;  // of y, noise included: 1 / P_ii
  };
  virtual const LeaveOneOut& leave_one_out(const LongWork& work = {}) const = 0;

  // α of the posterior that has not seen the rows H, as a vector over all rows with zeros at those:
  //   α₋ = α − P[:, H] P[H, H]^-1 α[H].
  // Throws Error if that cannot be computed.
  virtual std::vector<double> alpha_without(std::span<const std::size_t> held_out,
                                            const LongWork& work = {}) const = 0;

  // α of targets drawn from the model itself, one a column: normal with covariance P.
  virtual Matrix draw_alphas(std::size_t num_draws, Random& random,
                             const LongWork& work = {}) const = 0;
};

}  // namespace covary
