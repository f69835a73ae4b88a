// The formula of WN, for one pair of points: on vectors of the host and on devices.
#pragma once

#include "kernels/lanes.h"

namespace covary::registry {

struct WhiteNoise {
  static constexpr bool looks_at_rows = true;
  static constexpr std::size_t num_features = 1;
  static constexpr std::size_t num_parameters = 1;

  struct Constants {
    double variance;
  };
  COVARY_LANE static Constants constants(const double* parameters) { return {parameters[0]}; }
  COVARY_LANE static double value(const Constants& c, const Lane& a, const Lane& b) {
    return a.x == b.x ? c.variance : 0.0;
  }
  COVARY_LANE static Slopes derivatives(const Constants& /*c*/, const Lane& a, const Lane& b,
                                        double /*k*/) {
    return {a.x == b.x ? 1.0 : 0.0};
  }
};

using white_noise_formula = WhiteNoise;

}  // namespace covary::registry
