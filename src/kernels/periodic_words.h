#pragma once

#include <numbers>
#include <span>
#include <string_view>

// What PER and its siblings with a period of the calendar say of their values ℓ, σ², p, and how
// other libraries write them.

namespace covary::registry {

// ℓp/π
inline double periodic_peak_length(std::span<const double> values) {
  return values[0] * values[2] / std::numbers::pi;
}

inline std::string_view periodic_remark(std::span<const double> values) {
  // From here on the second harmonic has less than a tenth of the first one's variance.
  constexpr double sinusoid = 0.8;
  return values[0] >= sinusoid ? "Within a period it resembles a sinusoid." : "";
}

// exp(−2 sin²(πd/p) / ℓ²) there.
inline constexpr std::string_view periodic_sklearn =
    "constant(variance) * ExpSineSquared(2.0 * lengthscale, period, around(2.0 * lengthscale), "
    "around(period))";
inline constexpr std::string_view calendar_sklearn =
    "constant(variance) * ExpSineSquared(2.0 * lengthscale, period, around(2.0 * lengthscale), "
    "'fixed')";

inline constexpr std::string_view periodic_gpytorch =
    R"py(def periodic(column, lengthscale, variance, period):
    """variance * exp(-sin(pi * (x - x') / period)**2 / (2 * lengthscale**2))"""
    kernel = gpytorch.kernels.PeriodicKernel(active_dims=[column])
    # GPyTorch divides -2 * sin(...)**2 by its lengthscale.
    values = {"lengthscale": 4.0 * lengthscale**2, "period_length": period}
    return times(variance, with_values(kernel, **values))
)py";

// Periodic takes the shape of its base kernel: with this one, it is the same to the letter.
inline constexpr std::string_view periodic_gpflow =
    "gpflow.kernels.Periodic(gpflow.kernels.SquaredExponential(lengthscales=lengthscale, "
    "variance=variance, active_dims=[column]), period=period)";

}  // namespace covary::registry
