#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "gp/posterior.h"
#include "linalg/large_factor.h"

namespace covary {

// The exact one, by a dense Cholesky factor. append() aside, safe to share by threads. Of many rows
// the factor is the only matrix of their size: the inverse is never there as a whole, and what
// needs columns of it solves for them.
class DensePosterior final : public Posterior {
 public:
  // `factor` is the Cholesky factor of K + σ²I in the lower triangle, `jitter` what it took. More
  // rows than `few` are many; another number is for tests.
  DensePosterior(Matrix factor, std::span<const double> target, double jitter = 0.0,
                 std::size_t few = many_rows);
  DensePosterior(DensePosterior&&) noexcept;
  DensePosterior& operator=(DensePosterior&&) noexcept;
  ~DensePosterior() override;

  std::size_t num_rows() const override { return alpha_.size(); }
  std::span<const double> target() const override { return target_; }
  std::span<const double> alpha() const override { return alpha_; }
  double jitter() const override { return jitter_; }
  Interval log_marginal_likelihood_interval() const override;
  std::vector<double> mean(const Matrix& cross) const override;
  std::vector<double> variance(Matrix& cross, std::span<const double> prior_variance,
                               const LongWork& work = {}) const override;
  void covariance(Matrix& cross, Matrix& prior, const LongWork& work = {}) const override;
  const LeaveOneOut& leave_one_out(const LongWork& work = {}) const override;
  std::vector<double> alpha_without(std::span<const std::size_t> held_out,
                                    const LongWork& work = {}) const override;
  Matrix draw_alphas(std::size_t num_draws, Random& random,
                     const LongWork& work = {}) const override;

  // One more row, given its covariances with the others and its variance, noise included.
  void append(std::span<const double> covariances, double variance, double target);

 private:
  struct Derived;
  const Derived& derived(const LongWork& work) const;
  bool has_many_rows() const { return num_rows() > few_; }
  double inverse(std::size_t i, std::size_t j) const;
  void solve(Matrix& x, const LongWork& work) const;             // X := L^-1 X
  void solve_transposed(Matrix& x, const LongWork& work) const;  // X := L'^-1 X
  Matrix inverse_columns(std::span<const std::size_t> columns, const LongWork& work) const;

  // Below the diagonal; above it, once asked for and of few rows, the inverse.
  mutable Matrix factor_;
  std::vector<double> target_;
  std::vector<double> alpha_;
  double jitter_;
  std::size_t few_;
  std::unique_ptr<Derived> derived_;
};

}  // namespace covary
