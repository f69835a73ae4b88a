#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "gp/posterior.h"

namespace covary {

// The exact one, by a dense Cholesky factor. append() aside, safe to share by threads.
class DensePosterior final : public Posterior {
 public:
  // `factor` is the Cholesky factor of K + σ²I in the lower triangle, `jitter` what it took.
  DensePosterior(Matrix factor, std::span<const double> target, double jitter = 0.0);
  DensePosterior(DensePosterior&&) noexcept;
  DensePosterior& operator=(DensePosterior&&) noexcept;
  ~DensePosterior() override;

  std::size_t num_rows() const override { return alpha_.size(); }
  std::span<const double> target() const override { return target_; }
  std::span<const double> alpha() const override { return alpha_; }
  double jitter() const override { return jitter_; }
  double log_marginal_likelihood() const override;
  std::vector<double> mean(const Matrix& cross) const override;
  std::vector<double> variance(Matrix& cross,
                               std::span<const double> prior_variance) const override;
  void covariance(Matrix& cross, Matrix& prior) const override;
  const LeaveOneOut& leave_one_out() const override;
  std::vector<double> alpha_without(std::span<const std::size_t> held_out) const override;
  Matrix draw_alphas(std::size_t num_draws, Random& random) const override;

  // One more row, given its covariances with the others and its variance, noise included.
  void append(std::span<const double> covariances, double variance, double target);

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

}  // namespace covary
