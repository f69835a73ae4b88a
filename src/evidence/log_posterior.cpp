#include "evidence/log_posterior.h"

#include <cmath>
#include <limits>
#include <utility>

namespace covary {
namespace {

constexpr double nowhere = -std::numeric_limits<double>::infinity();

}  // namespace

LogPosterior::LogPosterior(const Expression& kernel, const TrainingRows& rows, LogPrior prior,
                           const Inference& inference, const LongWork& work)
    : prior_(std::move(prior)), likelihood_(inference.likelihood(kernel, rows, work)) {}

LogPosterior::LogPosterior(const Expression& kernel, const TrainingRows& rows, Laplace convention,
                           const Inference& inference)
    : LogPosterior(kernel, rows, LogPrior(kernel, convention), inference) {}

double LogPosterior::value(std::span<const double> free) {
  free_.assign(free.begin(), free.end());
  natural_ = prior_.natural(free);
  if (natural_.empty()) return nowhere;
  log_likelihood_ = likelihood_->value(natural_, std::nullopt);
  log_prior_ = prior_.value(free_, natural_);
  const double value = log_likelihood_ + log_prior_;
  return std::isfinite(value) ? value : nowhere;
}

void LogPosterior::gradient(std::span<double> out) {
  likelihood_->gradient(out);
  prior_.to_posterior(free_, natural_, out);
}

void LogPosterior::gradient_and_curvature(std::span<double> out, Matrix& curvature) {
  likelihood_->gradient_and_information(out, curvature);
  prior_.to_posterior(free_, natural_, out);
  prior_.to_posterior(free_, natural_, curvature);
}

void LogPosterior::curvature(Matrix& out) {
  likelihood_->information(out);
  prior_.to_posterior(free_, natural_, out);
}

PosteriorWalk::PosteriorWalk(Stepper& walk, const LogPrior& prior) : walk_(walk), prior_(prior) {
  find_natural();
}

void PosteriorWalk::find_natural() {
  while (!walk_.is_done()) {
    free_.assign(walk_.place().begin(), walk_.place().end());
    natural_ = prior_.natural(free_);
    if (!natural_.empty()) return;
    walk_.tell_value(nowhere);
  }
}

Want PosteriorWalk::tell_value(double log_likelihood) {
  const double value = log_likelihood + prior_.value(free_, natural_);
  const Want want = walk_.tell_value(std::isfinite(value) ? value : nowhere);
  if (want == Want::nothing) find_natural();
  return want;
}

void PosteriorWalk::tell_gradient(std::span<const double> gradient, const Matrix* information) {
  gradient_.assign(gradient.begin(), gradient.end());
  prior_.to_posterior(free_, natural_, std::span<double>(gradient_));
  if (information == nullptr) {
    walk_.tell_gradient(gradient_, nullptr);
  } else {
    Matrix curvature = Matrix::copy_of(*information);
    prior_.to_posterior(free_, natural_, curvature);
    walk_.tell_gradient(gradient_, &curvature);
  }
  find_natural();
}

}  // namespace covary
