#include "evidence/fitted_kernel.h"

#include <utility>

namespace covary {

void FittedKernel::move_to(std::vector<double> place) {
  place_ = std::move(place);
  figures_.reset();
}

const FittedKernel::Figures& FittedKernel::figures() {
  if (!figures_) {
    // In a scope of its own: what follows has matrices of its own.
    LogPosterior posterior(kernel_, data_.rows(), prior_, work_.inference(), work_.step());
    posterior.value(place_);
    work_.count({.values = 1});
    figures_ = Figures{prior_.space().natural(place_),
                       posterior.log_likelihood() + data_.data().log_jacobian(),
                       posterior.log_prior(), posterior.diagonal(), posterior.jitter()};
  }
  return *figures_;
}

void FittedKernel::lead(std::span<Stepper* const> walks) {
  work_.lead(kernel_, prior_, data_.rows(), walks);
}

void FittedKernel::lead_beside(std::span<Stepper* const> walks) {
  work_.lead(kernel_, prior_, data_.rows(), walks, figures().diagonal);
}

}  // namespace covary
