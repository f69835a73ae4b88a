#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <covary/evidence.h>
#include <covary/expression.h>

#include "covariance/compiled_kernel.h"
#include "covariance/parameter_space.h"
#include "linalg/cholesky.h"
#include "linalg/matrix.h"
#include "optim/maximize.h"

namespace covary {

// The log posterior density of a model's parameters, as a function of the free numbers u.
// `with_jacobian` is the density of u itself (the consistent convention); without, that of the
// natural parameters at the same place (as the reference does).
//
// value() is the first half of the work; gradient() goes on from there, at the same place, so that
// a line search pays for gradients only where it stays. Not for use by two threads at once.
class LogPosterior final : public Objective {
 public:
  LogPosterior(const Expression& expression, InputColumns inputs, std::span<const double> target,
               bool with_jacobian, MeanFunction mean = MeanFunction::zero);

  std::size_t size() const override { return space_.size(); }
  std::size_t num_rows() const { return target_.size(); }
  const ParameterSpace& space() const { return space_; }

  // Minus infinity where the covariance matrix cannot be factored even with jitter.
  double value(std::span<const double> free) override;

  // At the place of the last value(), which must have been finite. At most one of the two, once.
  void gradient(std::span<double> out) override;
  // Also a positive semi-definite stand-in for minus the Hessian: the average-information matrix
  // (the mean of observed and expected information) and the prior's own curvature where positive.
  void gradient_and_curvature(std::span<double> out, Matrix& curvature) override;

  double log_likelihood() const { return log_likelihood_; }  // of the last value()
  double log_prior() const { return log_prior_; }            // with the Jacobian if that is in
  double jitter() const { return jitter_; }

  std::size_t num_values() const { return num_values_; }
  std::size_t num_gradients() const { return num_gradients_; }

 private:
  void finish_gradient(std::span<double> out);

  CompiledKernel kernel_;
  ParameterSpace space_;
  InputColumns inputs_;
  std::span<const double> target_;
  bool with_jacobian_;
  MeanFunction mean_;

  Matrix matrix_;  // the factor after value(), the gradient's weights after gradient()
  CompiledKernel::Kept kept_;
  std::vector<double> alpha_;
  std::vector<double> free_;
  std::vector<double> natural_;
  double log_likelihood_ = 0.0;
  double log_prior_ = 0.0;
  double jitter_ = 0.0;
  std::size_t num_values_ = 0;
  std::size_t num_gradients_ = 0;
};

}  // namespace covary
