#pragma once

#include <algorithm>
#include <cmath>

#include "kernels/base_kernels/calendar.h"
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

}  // namespace covary::registry
