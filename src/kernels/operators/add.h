// The formula of ADD, for one pair of points: on vectors of the host and on devices.
#pragma once

#include "kernels/lanes.h"

namespace covary::registry {

struct Add {
  static constexpr std::size_t num_features = 0;
  static constexpr std::size_t num_parameters = 0;

  COVARY_LANE static double value(const Lane& /*a*/, const Lane& /*b*/, double left, double right) {
    return left + right;
  }
  COVARY_LANE static OperatorSlopes slopes(const Lane& /*a*/, const Lane& /*b*/, double /*left*/,
                                           double /*right*/) {
    return {1.0, 1.0, {}};
  }
};

using add_formula = Add;

}  // namespace covary::registry
