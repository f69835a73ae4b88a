#pragma once

#include <span>

#include <covary/evidence.h>
#include <covary/expression.h>

#include "covariance/parameter_space.h"
#include "linalg/matrix.h"

namespace covary {

// The prior of a model's parameters as a function of the free numbers u: the density of u itself in
// the consistent convention, that of the natural parameters at the same place in the reference's.
// It also carries a likelihood's slopes over to the free numbers. Knows nothing of likelihoods
// otherwise; safe to share by threads.
class LogPrior {
 public:
  LogPrior(const Expression& kernel, Laplace convention, std::span<const InputScale> scales = {});

  const ParameterSpace& space() const { return space_; }
  std::size_t size() const { return space_.size(); }

  // The natural parameters; empty where powers of them in a derivative would leave the range of
  // doubles, so that no likelihood has a value there.
  std::vector<double> natural(std::span<const double> free) const;

  double value(std::span<const double> free, std::span<const double> natural) const;

  // In: slopes of a log likelihood by the natural parameters. Out: of the log posterior by u.
  void to_posterior(std::span<const double> free, std::span<const double> natural,
                    std::span<double> gradient) const;
  // The same for a stand-in for minus the Hessian; the prior's own curvature counts where it is
  // positive.
  void to_posterior(std::span<const double> free, std::span<const double> natural,
                    Matrix& curvature) const;

  // Minus the second derivative of the prior by each free number.
  std::vector<double> curvature(std::span<const double> free,
                                std::span<const double> natural) const;

 private:
  ParameterSpace space_;
  bool with_jacobian_;
};

}  // namespace covary
