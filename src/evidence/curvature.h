#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "evidence/fitted_kernel.h"
#include "linalg/matrix.h"

namespace covary {

// Leads all walks to their ends.
using LeadWalks = std::function<void(std::span<Stepper* const> walks)>;

// Minus the Hessian of a log density at a place, by differences of exact gradients, each step a
// part of the density's own spread there: to one side where that is enough, else to both. None
// where it has no value next to the place, or a walk was not led.
std::optional<Matrix> negative_hessian(const std::vector<double>& place, const LeadWalks& lead);

// Of the log posterior at the kernel's place, the diagonal held.
std::optional<Matrix> negative_hessian(FittedKernel& fit);

// The step, in standard deviations of the posterior along the coordinate.
inline constexpr double difference_step = 1e-3;

// One over the prior's variance of each free number, by its quantiles at ±1 standard deviation.
std::vector<double> prior_precision(const ParameterSpace& space);

// A Hessian in units in which the prior's is one: where the data say nothing, eigenvalues are 1.
Matrix in_prior_units(const Matrix& hessian, const std::vector<double>& prior_precision);

// Minus the Hessian, as the Laplace approximation uses it.
struct Curvature {
  std::vector<double> eigenvalues;
  bool is_broken = false;  // somewhere it was less than the least

  // Of the matrix with no eigenvalue below `least`.
  double log_determinant(double least) const;
};

// The curvature in units of the prior's precision below which a direction is no maximum but a
// plateau or a saddle. The consistent convention expands a density that has the prior in it: one
// three times as wide as that is no Gaussian. Flat tails are part of the reference's letter.
double least_curvature(Laplace convention);

// Directions of less curvature than the least count as the prior's own, so that nothing is gained
// from them: what the data do not know cannot be wider than what was known before.
Curvature curvature_of(const Matrix& negative_hessian, const std::vector<double>& prior_precision,
                       double least);

}  // namespace covary
