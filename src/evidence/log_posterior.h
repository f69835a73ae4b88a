#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <covary/evidence.h>
#include <covary/expression.h>

#include "evidence/log_prior.h"
#include "inference/inference.h"
#include "optim/maximize.h"

namespace covary {

// The log posterior density of a model's parameters, as a function of the free numbers u, one place
// at a time. Not for use by two threads at once.
class LogPosterior final : public Objective {
 public:
  LogPosterior(const Expression& kernel, const TrainingRows& rows, LogPrior prior,
               const Inference& inference = exact_inference(), const LongWork& work = {});
  // With the priors of the registry.
  LogPosterior(const Expression& kernel, const TrainingRows& rows, Laplace convention,
               const Inference& inference = exact_inference());

  std::size_t size() const override { return prior_.size(); }
  const ParameterSpace& space() const { return prior_.space(); }

  // Minus infinity where the likelihood has no value.
  double value(std::span<const double> free) override;
  // At the place of the last value(), which must have been finite. At most one of the three, once.
  void gradient(std::span<double> out) override;
  void gradient_and_curvature(std::span<double> out, Matrix& curvature) override;
  void curvature(Matrix& out);  // the same without the gradient

  double log_likelihood() const { return log_likelihood_; }  // of the last value()
  double log_prior() const { return log_prior_; }            // with the Jacobian if that is in
  double jitter() const { return likelihood_->jitter(); }
  double diagonal() const { return likelihood_->diagonal(); }

 private:
  LogPrior prior_;
  std::unique_ptr<Likelihood> likelihood_;
  std::vector<double> free_;
  std::vector<double> natural_;
  double log_likelihood_ = 0.0;
  double log_prior_ = 0.0;
};

// A walk through the free numbers as a walk through the natural parameters, whose values are log
// likelihoods. Places without natural parameters are answered here.
class PosteriorWalk final : public Stepper {
 public:
  // Neither is owned.
  PosteriorWalk(Stepper& walk, const LogPrior& prior);

  bool is_done() const override { return walk_.is_done(); }
  std::span<const double> place() const override { return natural_; }
  Want tell_value(double log_likelihood) override;
  void tell_gradient(std::span<const double> gradient, const Matrix* information) override;

 private:
  void find_natural();

  Stepper& walk_;
  const LogPrior& prior_;
  std::vector<double> free_;
  std::vector<double> natural_;
  std::vector<double> gradient_;
};

}  // namespace covary
