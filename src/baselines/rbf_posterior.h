#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <covary/evidence.h>
#include <covary/random.h>

#include "evidence/log_posterior.h"

namespace covary {

// SE_1 * ... * SE_d: with all variances but one at 1 it is the RBF kernel with a lengthscale per
// input. REQUIRES: num_inputs > 0.
Expression rbf_kernel(std::size_t num_inputs);

// The log posterior of s² exp(-½ Σ (x_i - x_i')² / l_i²) and noise, as a function of the free
// numbers of l_1, s², l_2 ... l_d and the noise variance, in the order of the expression: the log
// posterior of the product, seen only where its other variances are 1. Their priors are left out.
class RbfPosterior final : public Objective {
 public:
  // Keeps views of the data.
  RbfPosterior(const TrainingRows& rows, Laplace convention);

  std::size_t size() const override { return position_.size(); }
  double value(std::span<const double> place) override;
  void gradient(std::span<double> out) override;
  void gradient_and_curvature(std::span<double> out, Matrix& curvature) override;

  // Of the whole product, by natural value, the noise variance last; and back.
  std::vector<double> parameters(std::span<const double> place) const;
  std::vector<double> place(std::span<const double> parameters) const;
  std::vector<double> start(Random& random) const;  // drawn from the priors

 private:
  LogPosterior whole_;
  std::vector<std::size_t> position_;  // of each of our parameters among those of the product
  std::vector<double> free_;           // those of the product, at the last value()
  double constant_ = 0.0;              // what the fixed variances add to the product's log prior
};

}  // namespace covary
