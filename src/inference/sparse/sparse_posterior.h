#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "gp/posterior.h"
#include "inference/sparse/sparse_system.h"

namespace covary {

// A posterior by the values of the function at some of the rows, the support (Titsias 2009): what
// the rows say of these, and these of new points. Kept are two matrices of the support's size and
// the rows. Safe to share by threads.
class SparsePosterior final : public Posterior {
 public:
  SparsePosterior(SparseRows rows, SparseSystem system, const Interval& log_marginal_likelihood);
  // With the rows of the support alone, of `num_rows` that it was conditioned on.
  SparsePosterior(SparseRows support, SparseSystem system, const Interval& log_marginal_likelihood,
                  std::size_t num_rows);
  ~SparsePosterior() override;

  const SparseSystem& system() const { return system_; }
  std::size_t num_rows() const override { return num_rows_; }
  std::span<const double> target() const override { return rows_.given_target(); }
  std::optional<std::span<const std::size_t>> support() const override { return rows_.support(); }
  double jitter() const override { return system_.jitter; }
  Interval log_marginal_likelihood_interval() const override { return interval_; }
  std::vector<double> mean(const Matrix& cross) const override;
  std::vector<double> variance(Matrix& cross, std::span<const double> prior_variance,
                               const LongWork& work = {}) const override;
  void covariance(Matrix& cross, Matrix& prior, const LongWork& work = {}) const override;
  // By the approximation, in which the row stays in the support if it is in it. Throws Error where
  // only the support is there.
  const LeaveOneOut& leave_one_out(const LongWork& work = {}) const override;

  // Throw Error: these are of the exact posterior only. So do the others where `cross` is with all
  // rows.
  std::span<const double> alpha() const override;
  std::vector<double> alpha_without(std::span<const std::size_t> held_out,
                                    const LongWork& work = {}) const override;
  Matrix draw_alphas(std::size_t num_draws, Random& random,
                     const LongWork& work = {}) const override;

 private:
  struct Derived;
  void check(const Matrix& cross) const;

  SparseRows rows_;
  SparseSystem system_;
  Interval interval_;
  std::size_t num_rows_;
  std::vector<double> weights_;  // the mean is that of the support's covariances by these
  std::unique_ptr<Derived> derived_;
};

}  // namespace covary
