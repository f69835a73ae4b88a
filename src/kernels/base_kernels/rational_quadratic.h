// The formula of RQ, for one pair of points: on vectors of the host and on devices.
#pragma once

#include "kernels/lanes.h"

namespace covary::registry {

struct RationalQuadratic {
  static constexpr std::size_t num_features = 1;
  static constexpr std::size_t num_parameters = 3;

  struct Constants {
    double variance;
    double factor;           // 1 / (2αℓ²)
    double exponent_factor;  // −α
    double per_length;       // 2α / ℓ
    double per_variance;     // 1 / σ²
  };
  COVARY_LANE static Constants constants(const double* parameters) {
    const double length = parameters[0];
    const double variance = parameters[1];
    const double alpha = parameters[2];
    return {variance, 0.5 / (alpha * length * length), -alpha, 2.0 * alpha / length,
            1.0 / variance};
  }
  // log(1 + z) with z = (x − x')² / (2αℓ²):  k = σ² exp(−α log(1 + z)).
  COVARY_LANE static double shared(const Constants& c, const Lane& a, const Lane& b) {
    const double distance = a.x - b.x;
    return lane_log(1.0 + c.factor * distance * distance);
  }
  // ∂k/∂ℓ = k (2α/ℓ) z/(1+z),  ∂k/∂α = k (z/(1+z) − log(1+z)).
  COVARY_LANE static Slopes derivatives(const Constants& c, const Lane& a, const Lane& b, double k,
                                        double log_term) {
    const double distance = a.x - b.x;
    const double z = c.factor * distance * distance;
    const double ratio = z / (1.0 + z);
    return {k * ratio * c.per_length, k * c.per_variance, k * (ratio - log_term)};
  }
};

using rational_quadratic_formula = RationalQuadratic;

}  // namespace covary::registry
