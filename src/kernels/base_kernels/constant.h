// The formula of C, for one pair of points: on vectors of the host and on devices.
#pragma once

#include "kernels/lanes.h"

namespace covary::registry {

struct Constant {
  static constexpr std::size_t num_features = 0;
  static constexpr std::size_t num_parameters = 1;

  struct Constants {
    double variance;
  };
  COVARY_LANE static Constants constants(const double* parameters) { return {parameters[0]}; }
  COVARY_LANE static double value(const Constants& c, const Lane& /*a*/, const Lane& /*b*/) {
    return c.variance;
  }
  COVARY_LANE static Slopes derivatives(const Constants& /*c*/, const Lane& /*a*/,
                                        const Lane& /*b*/, double /*k*/) {
    return {1.0};
  }
};

using constant_formula = Constant;

}  // namespace covary::registry
