#include "evidence/laplace.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "linalg/symmetric.h"

namespace covary {

Differences affordable_differences(std::size_t num_rows) {
  constexpr std::size_t many_rows = 50;
  return num_rows <= many_rows ? Differences::two_sided : Differences::one_sided;
}

Matrix negative_hessian(LogPosterior& posterior, std::span<const double> place,
                        Differences differences) {
  const std::size_t d = posterior.size();
  // Truncation grows with the step, rounding shrinks with it: these are near the best.
  const bool is_two_sided = differences == Differences::two_sided;
  const double step = is_two_sided ? 1e-4 : 1e-5;
  Matrix hessian(d, d);
  std::vector<double> moved(place.begin(), place.end());
  std::vector<double> here(d);
  std::vector<double> above(d);
  std::vector<double> below(d);
  const auto gradient_at_moved = [&](std::vector<double>& out) {
    const bool is_smooth = std::isfinite(posterior.value(moved));
    if (is_smooth) {
      posterior.gradient(out);
    } else {
      std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
    }
  };
  if (!is_two_sided) gradient_at_moved(here);
  for (std::size_t j = 0; j < d; ++j) {
    moved[j] = place[j] + step;
    gradient_at_moved(above);
    if (is_two_sided) {
      moved[j] = place[j] - step;
      gradient_at_moved(below);
    }
    moved[j] = place[j];
    const std::vector<double>& other = is_two_sided ? below : here;
    const double distance = is_two_sided ? 2.0 * step : step;
    for (std::size_t i = 0; i < d; ++i) hessian(i, j) = (other[i] - above[i]) / distance;
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
