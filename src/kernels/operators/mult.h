// The formula of MULT, for one pair of points: on vectors of the host and on devices.
#pragma once

#include "kernels/lanes.h"

namespace covary::registry {

struct Mult {
  static constexpr std::size_t num_features = 0;
  static constexpr std::size_t num_parameters = 0;

  COVARY_LANE static double value(const Lane& /*a*/, const Lane& /*b*/, double left, double right) {
    return left * right;
  }
  COVARY_LANE static OperatorSlopes slopes(const Lane& /*a*/, const Lane& /*b*/, double left,
                                           double right) {
    return {right, left, {}};
  }
};

using mult_formula = Mult;

}  // namespace covary::registry
