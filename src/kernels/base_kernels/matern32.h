// The formula of MAT32, for one pair of points: on vectors of the host and on devices.
#pragma once

#include <cmath>
#include <numbers>

#include "kernels/lanes.h"

namespace covary::registry {

struct Matern32 {
  static constexpr std::size_t num_features = 1;
  static constexpr std::size_t num_parameters = 2;

  struct Constants {
    double variance;
    double scale;         // √3 / ℓ
    double per_length;    // 1 / ℓ
    double per_variance;  // 1 / σ²
  };
  COVARY_LANE static Constants constants(const double* parameters) {
    return {parameters[1], std::numbers::sqrt3 / parameters[0], 1.0 / parameters[0],
            1.0 / parameters[1]};
  }
  COVARY_LANE static double value(const Constants& c, const Lane& a, const Lane& b) {
    const double t = within_sight(std::abs(a.x - b.x) * c.scale);
    return c.variance * (1.0 + t) * lane_exp(-t);
  }
  // With t = √3 r:  ∂k/∂ℓ = σ² t² e^−t / ℓ = k t² / ((1 + t) ℓ).
  COVARY_LANE static Slopes derivatives(const Constants& c, const Lane& a, const Lane& b,
                                        double k) {
    const double t = within_sight(std::abs(a.x - b.x) * c.scale);
    return {k * t * t / (1.0 + t) * c.per_length, k * c.per_variance};
  }
};

using matern32_formula = Matern32;

}  // namespace covary::registry
