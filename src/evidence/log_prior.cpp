#include "evidence/log_prior.h"

#include <algorithm>
#include <cmath>

namespace covary {

LogPrior::LogPrior(const Expression& kernel, Laplace convention, std::span<const InputScale> scales)
    : space_(kernel, scales), with_jacobian_(convention == Laplace::consistent) {}

std::vector<double> LogPrior::natural(std::span<const double> free) const {
  constexpr double smallest = 1e-60;
  constexpr double largest = 1e60;
  std::vector<double> natural = space_.natural(free);
  for (std::size_t p = 0; p < natural.size(); ++p) {
    const bool is_small = space_[p].parameter.prior.is_positive() && natural[p] < smallest;
    if (is_small || !(std::abs(natural[p]) < largest)) return {};
  }
  return natural;
}

double LogPrior::value(std::span<const double> free, std::span<const double> natural) const {
  double value = space_.log_prior(natural);
  if (with_jacobian_) {
    for (std::size_t p = 0; p < size(); ++p) value += space_.log_slope(p, free[p]).value;
  }
  return value;
}

void LogPrior::to_posterior(std::span<const double> free, std::span<const double> natural,
                            std::span<double> gradient) const {
  for (std::size_t p = 0; p < size(); ++p) {
    const double prior_slope = log_density(space_[p].parameter.prior, natural[p]).slope;
    gradient[p] = (gradient[p] + prior_slope) * space_.slope(p, free[p]);
    if (with_jacobian_) gradient[p] += space_.log_slope(p, free[p]).slope;
  }
}

void LogPrior::to_posterior(std::span<const double> free, std::span<const double> natural,
                            Matrix& curvature) const {
  for (std::size_t j = 0; j < size(); ++j) {
    for (std::size_t i = j; i < size(); ++i) {
      curvature(i, j) *= space_.slope(i, free[i]) * space_.slope(j, free[j]);
      curvature(j, i) = curvature(i, j);
    }
  }
  const std::vector<double> own = this->curvature(free, natural);
  for (std::size_t p = 0; p < size(); ++p) curvature(p, p) += std::max(own[p], 0.0);
}

std::vector<double> LogPrior::curvature(std::span<const double> free,
                                        std::span<const double> natural) const {
  std::vector<double> curvature(size());
  for (std::size_t p = 0; p < size(); ++p) {
    const LogDensity prior = log_density(space_[p].parameter.prior, natural[p]);
    const double slope = space_.slope(p, free[p]);
    const LogDensity log_slope = space_.log_slope(p, free[p]);
    // d²/du² log p(γ(u)) = p'' γ'² + p' γ'', and γ'' = γ' (log γ')'.
    double second = prior.curvature * slope * slope + prior.slope * slope * log_slope.slope;
    if (with_jacobian_) second += log_slope.curvature;
    curvature[p] = -second;
  }
  return curvature;
}

}  // namespace covary
