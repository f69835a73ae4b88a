// PER, the periodic kernel (paper, A.4).
//   k(x, x') = σ² exp(−sin²(π(x − x') / p) / (2ℓ²)),   k(x, x) = σ².
//   ℓ ~ Gamma(2, 2), σ² ~ Gamma(2, 3), p ~ Gamma(2, 2). ℓ has no unit: it is measured against the
//   sine, not against the input.
#include <cmath>
#include <numbers>

#include "kernels/numerics.h"
#include "kernels/periodic_words.h"
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
    .peak_length = periodic_peak_length,
    .remark = periodic_remark,
    // Among several inputs a period is nearly always an accident, and a costly one. So it is beside
    // those of the calendar, unless there are many rows to show it.
    .is_offered =
        [](const InputTraits& input) {
          return input.is_alone && (input.cycles.empty() || input.num_values >= 120);
        },
    .exports = {.sklearn = periodic_sklearn,
                .gpytorch = periodic_gpytorch,
                .gpflow = periodic_gpflow},
};

}  // namespace covary::registry
