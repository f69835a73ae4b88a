// PER, the periodic kernel (paper, A.4).
//   k(x, x') = σ² exp(−sin²(π(x − x') / p) / (2ℓ²)),   k(x, x) = σ².
//   ℓ ~ Gamma(2, 2), σ² ~ Gamma(2, 3), p ~ Gamma(2, 2). ℓ has no unit: it is measured against the
//   sine, not against the input.
#include <cmath>
#include <numbers>

#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameter_list[] = {
    {"lengthscale", "ℓ", Quantity::shape, Prior::gamma(2.0, 2.0)},
    {"variance", "σ²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
    {"period", "p", Quantity::input_length, Prior::gamma(2.0, 2.0)},
};

// sin(a − b) = sin a cos b − cos a sin b: two sines a row instead of one a pair.
struct Periodic {
  static constexpr std::size_t num_features = 3;  // x, sin(πx/p), cos(πx/p)
  static constexpr std::size_t num_parameters = 3;
  static void prepare(const double* parameters, const double* x, std::size_t size,
                      double* const* features) {
    const double factor = std::numbers::pi / parameters[2];
    for (std::size_t i = 0; i < size; ++i) {
      features[1][i] = std::sin(factor * x[i]);
      features[2][i] = std::cos(factor * x[i]);
    }
  }

  struct Constants {
    double variance;
    double factor;        // −1 / (2ℓ²)
    double per_length;    // 1 / ℓ³
    double per_variance;  // 1 / σ²
    double per_period;    // π / (ℓ² p²)
  };
  static Constants constants(const double* parameters) {
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

double peak_length(std::span<const double> values) {
  return values[0] * values[2] / std::numbers::pi;  // ℓp/π
}

std::string_view remark(std::span<const double> values) {
  // From here on the second harmonic has less than a tenth of the first one's variance.
  constexpr double sinusoid = 0.8;
  return values[0] >= sinusoid ? "Within a period it resembles a sinusoid." : "";
}

// exp(−2 sin²(πd/p) / ℓ²) there.
constexpr std::string_view sklearn =
    "constant(variance) * ExpSineSquared(2.0 * lengthscale, period, around(2.0 * lengthscale), "
    "around(period))";

constexpr std::string_view gpytorch = R"py(def periodic(column, lengthscale, variance, period):
    """variance * exp(-sin(pi * (x - x') / period)**2 / (2 * lengthscale**2))"""
    kernel = gpytorch.kernels.PeriodicKernel(active_dims=[column])
    # GPyTorch divides -2 * sin(...)**2 by its lengthscale.
    values = {"lengthscale": 4.0 * lengthscale**2, "period_length": period}
    return times(variance, with_values(kernel, **values))
)py";

// Periodic takes the shape of its base kernel: with this one, it is the same to the letter.
constexpr std::string_view gpflow =
    "gpflow.kernels.Periodic(gpflow.kernels.SquaredExponential(lengthscales=lengthscale, "
    "variance=variance, active_dims=[column]), period=period)";

}  // namespace

constexpr BaseKernel periodic = {
    .name = "PER",
    .title = "periodic",
    .formula = "σ² exp(−sin²(π(x − x') / p) / (2ℓ²))",
    .parameters = parameter_list,
    .numerics = &kernel_numerics<Periodic>,
    .is_stationary = true,
    .noun = "periodic function",
    .modifier = "repeating periodically",
    .role = KernelRole::periodic,
    .peak_length = peak_length,
    .remark = remark,
    .exports = {.sklearn = sklearn, .gpytorch = gpytorch, .gpflow = gpflow},
};

}  // namespace covary::registry
