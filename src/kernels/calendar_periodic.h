#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "kernels/numerics.h"
#include "kernels/registry.h"

// What YEAR, WEEK and DAY have in common: PER with a period that the calendar gives, so that there
// is nothing to find out about it and a kernel that has it is cheaper to believe.
//   k(x, x') = σ² exp(−sin²(π(x − x')) / (2ℓ²)),   k(x, x) = σ²,   x counted in the unit.
//   ℓ ~ Gamma(2, 2), σ² ~ Gamma(2, 3), as those of PER.

namespace covary::registry {

inline constexpr Parameter calendar_parameters[] = {
    {"lengthscale", "ℓ", Quantity::shape, Prior::gamma(2.0, 2.0)},
    {"variance", "σ²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
};

// Of one period, a product is one again, with 1/ℓ² = 1/ℓ₁² + 1/ℓ₂².
inline void merge_calendar(std::span<double> values, std::span<const double> others) {
  values[0] = 1.0 / std::hypot(1.0 / values[0], 1.0 / others[0]);
  values[1] *= others[1];
}

template <CalendarUnit unit>
bool shows(const InputTraits& input) {
  return std::find(input.cycles.begin(), input.cycles.end(), unit) != input.cycles.end();
}

struct CalendarPeriodic {
  static constexpr std::size_t num_features = 3;  // x, sin(πx), cos(πx)
  static constexpr std::size_t num_parameters = 2;
  static void prepare(const double* /*parameters*/, const double* x, std::size_t size,
                      double* const* features) {
    for (std::size_t i = 0; i < size; ++i) {
      features[1][i] = std::sin(std::numbers::pi * x[i]);
      features[2][i] = std::cos(std::numbers::pi * x[i]);
    }
  }

  struct Constants {
    double variance;
    double factor;        // −1 / (2ℓ²)
    double per_length;    // 1 / ℓ³
    double per_variance;  // 1 / σ²
  };
  static Constants constants(const double* parameters) {
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

}  // namespace covary::registry
