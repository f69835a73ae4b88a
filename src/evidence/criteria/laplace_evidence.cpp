// log posterior + (d/2) log 2π − ½ log det(−Hessian), at one place
#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include "evidence/criteria/criterion_rule.h"
#include "evidence/curvature.h"
#include "linalg/symmetric.h"
#include "optim/look.h"
#include "optim/maximize.h"

namespace covary {
namespace {

constexpr double two_pi = 2.0 * std::numbers::pi;

// Moves the fit to a better place, found along the eigenvector of the least curvature.
bool leave_saddle(FittedKernel& fit, const Matrix& hessian) {
  const Eigen eigen = symmetric_eigen(hessian);
  constexpr double least_gain = 1e-6;
  // A plateau takes a long step to leave, the edge of a ridge a short one.
  constexpr int num_lengths = 10;
  std::vector<Look> looks;
  looks.emplace_back(fit.place());
  for (int k = 0; k < num_lengths; ++k) {
    const double length = 0.3 * std::pow(3.0, -k);
    for (const double sign : {1.0, -1.0}) {
      std::vector<double> start = fit.place();
      for (std::size_t i = 0; i < start.size(); ++i) {
        start[i] += sign * length * eigen.vectors(i, 0);
      }
      looks.emplace_back(std::move(start));
    }
  }
  std::vector<Stepper*> walks;
  walks.reserve(looks.size());
  for (Look& look : looks) walks.push_back(&look);
  fit.lead(walks);
  const auto better = std::find_if(looks.begin() + 1, looks.end(), [&](const Look& look) {
    return look.value() > looks.front().value() + least_gain;
  });
  if (better == looks.end()) return false;
  MaximizeOptions options;
  options.max_iterations = fit.options().max_iterations;
  options.tolerance = 1e-8;
  options.should_stop = fit.work().should_stop();
  const std::unique_ptr<MaximizingStepper> stepper = persistent_stepper(better->place(), options);
  Stepper* walk = stepper.get();
  fit.lead({&walk, 1});
  fit.move_to(stepper->summary().place);
  return true;
}

// Minus the Hessian at a maximum is positive definite. If it is not, the place is a saddle or a
// plateau: go uphill from it along the direction of the wrong curvature, and look again.
std::optional<Curvature> curvature_at_maximum(FittedKernel& fit) {
  const auto curvature_by = [&](const Matrix& hessian) {
    return curvature_of(hessian, prior_precision(fit.prior().space()),
                        least_curvature(fit.options().laplace));
  };
  if (fit.options().few_steps) {  // a gradient for each parameter would take longer than the fit
    const std::optional<Matrix> information = fit.information();
    return information ? std::optional(curvature_by(*information)) : std::nullopt;
  }
  constexpr int max_moves = 3;
  for (int num_moves = 0;; ++num_moves) {
    const std::optional<Matrix> hessian = negative_hessian(fit);
    if (!hessian) return std::nullopt;
    const Curvature curvature = curvature_by(*hessian);
    // No move without a look at the place that it leads to.
    if (!curvature.is_broken || num_moves == max_moves || !leave_saddle(fit, *hessian)) {
      return curvature;
    }
  }
}

// Each parameter costs at least `least_cost`: no eigenvalue counts less than 2π e^(2 least_cost).
std::optional<double> with_least_cost(FittedKernel& fit, double least_eigenvalue, Evidence& notes) {
  const std::optional<Curvature> curvature = curvature_at_maximum(fit);
  if (!curvature) return std::nullopt;  // time is up, or the posterior is not smooth here
  notes.hessian_repaired = curvature->is_broken;
  return fit.figures().log_posterior() + 0.5 * fit.num_parameters() * std::log(two_pi) -
         0.5 * curvature->log_determinant(least_eigenvalue);
}

}  // namespace

std::optional<double> laplace_evidence(FittedKernel& fit, Evidence& notes) {
  return with_least_cost(fit, 0.0, notes);
}

std::optional<double> laplace_evidence_aic(FittedKernel& fit, Evidence& notes) {
  return with_least_cost(fit, two_pi * std::exp(2.0), notes);
}

std::optional<double> laplace_evidence_bic(FittedKernel& fit, Evidence& notes) {
  return with_least_cost(fit, two_pi * fit.num_rows(), notes);
}

}  // namespace covary
