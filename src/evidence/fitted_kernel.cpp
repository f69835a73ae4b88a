#include "evidence/fitted_kernel.h"

#include <cmath>
#include <utility>

namespace covary {

void FittedKernel::move_to(std::vector<double> place) {
  place_ = std::move(place);
  figures_.reset();
}

void FittedKernel::note(const LogPosterior& posterior) {
  work_.count({.values = 1});
  figures_ = Figures{prior_.space().natural(place_),
                     posterior.log_likelihood() + data_.data().log_jacobian(),
                     posterior.log_prior(), posterior.diagonal(), posterior.jitter()};
}

const FittedKernel::Figures& FittedKernel::figures() {
  if (!figures_) {
    // In a scope of its own: what follows has matrices of its own.
    LogPosterior posterior(kernel_, data_.rows(), prior_, work_.inference(), work_.step());
    posterior.value(place_);
    note(posterior);
  }
  return *figures_;
}

std::optional<Matrix> FittedKernel::information() {
  LogPosterior posterior(kernel_, data_.rows(), prior_, work_.inference(), work_.step());
  const double value = posterior.value(place_);
  note(posterior);
  if (!std::isfinite(value)) return std::nullopt;
  Matrix information(place_.size(), place_.size());
  posterior.curvature(information);
  return information;
}

void FittedKernel::lead(std::span<Stepper* const> walks) {
  work_.lead(kernel_, prior_, data_.rows(), walks);
}

void FittedKernel::lead_beside(std::span<Stepper* const> walks) {
  work_.lead(kernel_, prior_, data_.rows(), walks, figures().diagonal);
}

}  // namespace covary
