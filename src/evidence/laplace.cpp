#include "evidence/laplace.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linalg/symmetric.h"

namespace covary {

Matrix negative_hessian(LogPosterior& posterior, std::span<const double> place) {
  const std::size_t d = posterior.size();
  // Truncation grows with the step's square, rounding shrinks with the step: this is near the best.
  constexpr double step = 1e-4;
  Matrix hessian(d, d);
  std::vector<double> moved(place.begin(), place.end());
  std::vector<double> above(d);
  std::vector<double> below(d);
  for (std::size_t j = 0; j < d; ++j) {
    moved[j] = place[j] + step;
    const bool has_above = std::isfinite(posterior.value(moved));
    if (has_above) posterior.gradient(above);
    moved[j] = place[j] - step;
    const bool has_below = std::isfinite(posterior.value(moved));
    if (has_below) posterior.gradient(below);
    moved[j] = place[j];
    for (std::size_t i = 0; i < d; ++i) {
      hessian(i, j) = has_above && has_below ? (below[i] - above[i]) / (2.0 * step)
                                             : std::numeric_limits<double>::quiet_NaN();
    }
  }
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = j + 1; i < d; ++i) {
      hessian(i, j) = hessian(j, i) = 0.5 * (hessian(i, j) + hessian(j, i));
    }
  }
  return hessian;
}

LaplaceTerms laplace_terms(const Matrix& negative_hessian, double floor) {
  LaplaceTerms terms;
  for (const double value : symmetric_eigen(negative_hessian).values) {
    if (value <= least_curvature) terms.repaired = true;
    terms.log_determinant += std::log(std::max({value, floor, least_curvature}));
  }
  return terms;
}

}  // namespace covary
