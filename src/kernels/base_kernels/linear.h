// The formula of LIN, for one pair of points: on vectors of the host and on devices.
#pragma once

#include "kernels/lanes.h"

namespace covary::registry {

struct Linear {
  static constexpr std::size_t num_features = 1;
  static constexpr std::size_t num_parameters = 2;

  struct Constants {
    double variance;
    double constant_variance;
  };
  COVARY_LANE static Constants constants(const double* parameters) {
    return {parameters[0], parameters[1]};
  }
  COVARY_LANE static double value(const Constants& c, const Lane& a, const Lane& b) {
    return c.variance * a.x * b.x + c.constant_variance;
  }
  COVARY_LANE static Slopes derivatives(const Constants& /*c*/, const Lane& a, const Lane& b,
                                        double /*k*/) {
    return {a.x * b.x, 1.0};
  }
};

using linear_formula = Linear;

}  // namespace covary::registry
