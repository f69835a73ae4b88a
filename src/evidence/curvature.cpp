#include "evidence/curvature.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "linalg/symmetric.h"
#include "optim/look.h"

namespace covary {
namespace {

// The step along each coordinate. Truncation grows with the square of a step in units of the
// posterior's spread, rounding shrinks with it; a fixed step is too long for a period that the data
// know to six digits and too short near the noise floor.
std::vector<double> steps_at(const std::vector<double>& place, const LeadWalks& lead) {
  constexpr double longest = 0.05;  // where there is hardly any curvature; relative beyond 1
  Look look(place, Want::gradient_and_curvature);
  Stepper* walk = &look;
  lead({&walk, 1});
  std::vector<double> steps;
  for (std::size_t p = 0; p < look.gradient().size(); ++p) {
    const double curvature = std::max(look.curvature()(p, p), 1e-300);
    steps.push_back(std::min(difference_step / std::sqrt(curvature),
                             longest * std::max(1.0, std::abs(place[p]))));
  }
  return steps;
}

}  // namespace

std::optional<Matrix> negative_hessian(const std::vector<double>& place, const LeadWalks& lead) {
  const std::vector<double> steps = steps_at(place, lead);
  if (steps.empty()) return std::nullopt;
  const std::size_t d = steps.size();
  std::vector<Look> looks;
  looks.reserve(2 * d);
  std::vector<Stepper*> walks;
  for (std::size_t j = 0; j < d; ++j) {
    for (const double step : {steps[j], -steps[j]}) {
      std::vector<double> moved = place;
      moved[j] += step;
      looks.emplace_back(std::move(moved), Want::gradient);
      walks.push_back(&looks.back());
    }
  }
  lead(walks);
  Matrix hessian(d, d);
  for (std::size_t j = 0; j < d; ++j) {
    const Look& above = looks[2 * j];
    const Look& below = looks[2 * j + 1];
    if (above.gradient().empty() || below.gradient().empty()) return std::nullopt;
    const double distance = above.place()[j] - below.place()[j];
    for (std::size_t i = 0; i < d; ++i) {
      hessian(i, j) = (below.gradient()[i] - above.gradient()[i]) / distance;
      if (!std::isfinite(hessian(i, j))) return std::nullopt;
    }
  }
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = j + 1; i < d; ++i) {
      hessian(i, j) = hessian(j, i) = 0.5 * (hessian(i, j) + hessian(j, i));
    }
  }
  return hessian;
}

std::optional<Matrix> negative_hessian(FittedKernel& fit) {
  return negative_hessian(fit.place(),
                          [&](std::span<Stepper* const> walks) { fit.lead_beside(walks); });
}

std::vector<double> prior_precision(const ParameterSpace& space) {
  constexpr double one_sd = 0.8413447460685429;  // Φ(1)
  std::vector<double> precision;
  for (std::size_t p = 0; p < space.size(); ++p) {
    const Prior& prior = space[p].parameter.prior;
    const double sd = 0.5 * (space.free(p, quantile(prior, one_sd)) -
                             space.free(p, quantile(prior, 1.0 - one_sd)));
    precision.push_back(1.0 / (sd * sd));
  }
  return precision;
}

double least_curvature(Laplace convention) {
  return convention == Laplace::consistent ? 0.1 : 1e-6;
}

Curvature curvature_of(const Matrix& negative_hessian, const std::vector<double>& prior_precision,
                       double least) {
  const std::size_t d = prior_precision.size();
  Matrix scaled(d, d);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < d; ++i) {
      scaled(i, j) = negative_hessian(i, j) / std::sqrt(prior_precision[i] * prior_precision[j]);
    }
  }
  const Eigen relative = symmetric_eigen(scaled);
  Curvature curvature;
  if (relative.values.front() > least) {
    curvature.eigenvalues = symmetric_eigen(negative_hessian).values;
    return curvature;
  }
  curvature.is_broken = true;
  Matrix repaired(d, d);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < d; ++i) {
      double sum = 0.0;
      for (std::size_t k = 0; k < d; ++k) {
        const double value = relative.values[k] > least ? relative.values[k] : 1.0;
        sum += relative.vectors(i, k) * value * relative.vectors(j, k);
      }
      repaired(i, j) = sum * std::sqrt(prior_precision[i] * prior_precision[j]);
    }
  }
  curvature.eigenvalues = symmetric_eigen(repaired).values;
  return curvature;
}

double Curvature::log_determinant(double least) const {
  double sum = 0.0;
  for (const double eigenvalue : eigenvalues) sum += std::log(std::max(eigenvalue, least));
  return sum;
}

}  // namespace covary
