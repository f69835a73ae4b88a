#pragma once

#include <span>

#include "evidence/log_posterior.h"

namespace covary {

struct LaplaceTerms {
  double log_determinant = 0.0;  // of minus the Hessian in free parameters, after repair
  bool repaired = false;
};

// Differences to both sides are exact to one order more, and cost twice as many gradients.
enum class Differences { one_sided, two_sided };
Differences affordable_differences(std::size_t num_rows);

// Minus the Hessian of the log posterior at `place`, by differences of exact gradients. Not finite
// where the posterior has no value next to it.
Matrix negative_hessian(LogPosterior& posterior, std::span<const double> place,
                        Differences differences);

// The log determinant with every eigenvalue at least `floor`. A matrix with an eigenvalue at or
// below `least_curvature` counts as repaired.
LaplaceTerms laplace_terms(const Matrix& negative_hessian, double floor);

// Below it, a direction is not a maximum but a plateau or a saddle.
inline constexpr double least_curvature = 1e-6;

}  // namespace covary
