// The formula that YEAR, WEEK and DAY have in common, for one pair of points: on vectors of the
// host and on devices.
#pragma once

#include <cmath>
#include <numbers>

#include "kernels/lanes.h"

namespace covary::registry {

struct CalendarPeriodic {
  static constexpr std::size_t num_features = 3;  // x, sin(πx), cos(πx)
  static constexpr std::size_t num_parameters = 2;
  COVARY_LANE static Lane prepare(const double* /*parameters*/, double x) {
    const double angle = std::isfinite(std::numbers::pi * x) ? std::numbers::pi * x : 0.0;
    return {x, std::sin(angle), std::cos(angle)};
  }

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
    const double sine = a.second * b.third - a.third * b.second;
    return c.variance * lane_exp(c.factor * sine * sine);
  }
  COVARY_LANE static Slopes derivatives(const Constants& c, const Lane& a, const Lane& b,
                                        double k) {
    const double sine = a.second * b.third - a.third * b.second;
    return {k * sine * sine * c.per_length, k * c.per_variance};
  }
};

using yearly_formula = CalendarPeriodic;
using weekly_formula = CalendarPeriodic;
using daily_formula = CalendarPeriodic;

}  // namespace covary::registry
