// The formula of SE, for one pair of points: on vectors of the host and on devices.
#pragma once

#include "kernels/lanes.h"

namespace covary::registry {

struct SquaredExponential {
  static constexpr std::size_t num_features = 1;
  static constexpr std::size_t num_parameters = 2;

  struct Constants {
    double variance;
    double factor;        // −1 / (2ℓ²)
    double per_length;    // 1 / ℓ³
    double per_variance;  // 1 / σ²
  };
  COVARY_LANE static Constants constants(const double* parameters) {
    const double length = parameters[0];
    const double variance = parameters[1];
    return {variance, -0.5 / (length * length), 1.0 / (length * length * length), 1.0 / variance};
  }
  COVARY_LANE static double value(const Constants& c, const Lane& a, const Lane& b) {
    const double distance = a.x - b.x;
    return c.variance * lane_exp(c.factor * distance * distance);
  }
  COVARY_LANE static Slopes derivatives(const Constants& c, const Lane& a, const Lane& b,
                                        double k) {
    const double distance = a.x - b.x;
    return {k * distance * distance * c.per_length, k * c.per_variance};
  }
};

using squared_exponential_formula = SquaredExponential;

}  // namespace covary::registry
