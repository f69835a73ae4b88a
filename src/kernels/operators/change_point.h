// The formula of CP, for one pair of points: on vectors of the host and on devices.
#pragma once

#include <cmath>

#include "kernels/lanes.h"

namespace covary::registry {

struct ChangePoint {
  static constexpr std::size_t num_features = 3;  // s(x), ∂s/∂x₀, ∂s/∂w in the place of x
  static constexpr std::size_t num_parameters = 2;
  COVARY_LANE static Lane prepare(const double* parameters, double x) {
    const double t = (x - parameters[0]) / parameters[1];
    const double s = 1.0 / (1.0 + std::exp(-t));  // 0 or 1 in the far tails
    const double slope = s * (1.0 - s) / parameters[1];
    return {s, -slope, slope == 0.0 ? 0.0 : -slope * t};
  }

  COVARY_LANE static double value(const Lane& a, const Lane& b, double before, double after) {
    return (1.0 - a.x) * (1.0 - b.x) * before + a.x * b.x * after;
  }
  COVARY_LANE static OperatorSlopes slopes(const Lane& a, const Lane& b, double before,
                                           double after) {
    const double by_a = a.x * after;  // by s(x') at fixed s(x), and the other way round
    const double by_b = b.x * after;
    const double not_by_a = (1.0 - a.x) * before;
    const double not_by_b = (1.0 - b.x) * before;
    return {(1.0 - a.x) * (1.0 - b.x),
            a.x * b.x,
            {(by_b - not_by_b) * a.second + (by_a - not_by_a) * b.second,
             (by_b - not_by_b) * a.third + (by_a - not_by_a) * b.third}};
  }
};

using change_point_formula = ChangePoint;

}  // namespace covary::registry
