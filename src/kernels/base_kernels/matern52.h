// The formula of MAT52, for one pair of points: on vectors of the host and on devices.
#pragma once

#include <cmath>

#include "kernels/lanes.h"

namespace covary::registry {

struct Matern52 {
  static constexpr std::size_t num_features = 1;
  static constexpr std::size_t num_parameters = 2;

  struct Constants {
    double variance;
    double scale;         // √5 / ℓ
    double per_length;    // 1 / ℓ
    double per_variance;  // 1 / σ²
  };
  COVARY_LANE static Constants constants(const double* parameters) {
    return {parameters[1], std::sqrt(5.0) / parameters[0], 1.0 / parameters[0],
            1.0 / parameters[1]};
  }
  COVARY_LANE static double value(const Constants& c, const Lane& a, const Lane& b) {
    const double t = within_sight(std::abs(a.x - b.x) * c.scale);
    return c.variance * (1.0 + t + t * t / 3.0) * lane_exp(-t);
  }
  // With t = √5 r:  ∂k/∂ℓ = σ² t² (1 + t) e^−t / (3ℓ) = k t² (1 + t) / ((3 + 3t + t²) ℓ).
  COVARY_LANE static Slopes derivatives(const Constants& c, const Lane& a, const Lane& b,
                                        double k) {
    const double t = within_sight(std::abs(a.x - b.x) * c.scale);
    return {k * t * t * (1.0 + t) / (3.0 + t * (3.0 + t)) * c.per_length, k * c.per_variance};
  }
};

using matern52_formula = Matern52;

}  // namespace covary::registry
