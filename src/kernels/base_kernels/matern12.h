// The formula of MAT12, for one pair of points: on vectors of the host and on devices.
#pragma once

#include <cmath>

#include "kernels/lanes.h"

namespace covary::registry {

struct Matern12 {
  static constexpr std::size_t num_features = 1;
  static constexpr std::size_t num_parameters = 2;

  struct Constants {
    double variance;
    double factor;             // −1 / ℓ
    double per_square_length;  // 1 / ℓ²
    double per_variance;       // 1 / σ²
  };
  COVARY_LANE static Constants constants(const double* parameters) {
    const double length = parameters[0];
    return {parameters[1], -1.0 / length, 1.0 / (length * length), 1.0 / parameters[1]};
  }
  COVARY_LANE static double value(const Constants& c, const Lane& a, const Lane& b) {
    return c.variance * lane_exp(c.factor * std::abs(a.x - b.x));
  }
  COVARY_LANE static Slopes derivatives(const Constants& c, const Lane& a, const Lane& b,
                                        double k) {
    return {k * std::abs(a.x - b.x) * c.per_square_length, k * c.per_variance};
  }
};

using matern12_formula = Matern12;

}  // namespace covary::registry
