// The formula of RW, for one pair of points: on vectors of the host and on devices.
#pragma once

#include <cmath>

#include "kernels/lanes.h"

namespace covary::registry {

struct RandomWalk {
  static constexpr std::size_t num_features = 1;
  static constexpr std::size_t num_parameters = 2;

  struct Constants {
    double variance;
    double constant_variance;
  };
  COVARY_LANE static Constants constants(const double* parameters) {
    return {parameters[0], parameters[1]};
  }
  COVARY_LANE static double shared_way(const Lane& a, const Lane& b) {
    return 0.5 * (std::abs(a.x) + std::abs(b.x) - std::abs(a.x - b.x));
  }
  COVARY_LANE static double value(const Constants& c, const Lane& a, const Lane& b) {
    return c.variance * shared_way(a, b) + c.constant_variance;
  }
  COVARY_LANE static Slopes derivatives(const Constants& /*c*/, const Lane& a, const Lane& b,
                                        double /*k*/) {
    return {shared_way(a, b), 1.0};
  }
};

using random_walk_formula = RandomWalk;

}  // namespace covary::registry
