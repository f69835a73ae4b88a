// The formula of PER, for one pair of points: on vectors of the host and on devices.
#pragma once

#include <cmath>
#include <numbers>

#include "kernels/lanes.h"

namespace covary::registry {

// sin(a − b) = sin a cos b − cos a sin b: two sines a row instead of one a pair.
struct Periodic {
  static constexpr std::size_t num_features = 3;  // x, sin(πx/p), cos(πx/p)
  static constexpr std::size_t num_parameters = 3;
  COVARY_LANE static Lane prepare(const double* parameters, double x) {
    const double factor = std::numbers::pi / parameters[2];
    const double angle = std::isfinite(factor * x) ? factor * x : 0.0;  // of no known phase
    return {x, std::sin(angle), std::cos(angle)};
  }

  struct Constants {
    double variance;
    double factor;        // −1 / (2ℓ²)
    double per_length;    // 1 / ℓ³
    double per_variance;  // 1 / σ²
    double per_period;    // π / (ℓ² p²)
  };
  COVARY_LANE static Constants constants(const double* parameters) {
    const double length = parameters[0];
    const double variance = parameters[1];
    const double period = parameters[2];
    return {variance, -0.5 / (length * length), 1.0 / (length * length * length), 1.0 / variance,
            std::numbers::pi / (length * length * period * period)};
  }
  COVARY_LANE static double value(const Constants& c, const Lane& a, const Lane& b) {
    const double sine = a.second * b.third - a.third * b.second;
    return c.variance * lane_exp(c.factor * sine * sine);
  }
  COVARY_LANE static Slopes derivatives(const Constants& c, const Lane& a, const Lane& b,
                                        double k) {
    const double sine = a.second * b.third - a.third * b.second;
    const double cosine = a.third * b.third + a.second * b.second;
    return {k * sine * sine * c.per_length, k * c.per_variance,
            k * sine * cosine * (a.x - b.x) * c.per_period};
  }
};

using periodic_formula = Periodic;

}  // namespace covary::registry
