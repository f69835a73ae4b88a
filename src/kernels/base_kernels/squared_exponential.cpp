// SE, the squared exponential kernel (paper, A.4).
//   k(x, x') = σ² exp(−(x − x')² / (2ℓ²)),   k(x, x) = σ².
//   ℓ ~ Gamma(2, 2), σ² ~ Gamma(2, 3).
#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameter_list[] = {
    {"lengthscale", "ℓ", Quantity::input_length, Prior::gamma(2.0, 2.0)},
    {"variance", "σ²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
};

struct SquaredExponential {
  static constexpr std::size_t num_features = 1;
  static constexpr std::size_t num_parameters = 2;
  static constexpr auto prepare = prepare_nothing;

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
    const double distance = a.x - b.x;
    return c.variance * lane_exp(c.factor * distance * distance);
  }
  COVARY_LANE static Slopes derivatives(const Constants& c, const Lane& a, const Lane& b,
                                        double k) {
    const double distance = a.x - b.x;
    return {k * distance * distance * c.per_length, k * c.per_variance};
  }
};

}  // namespace

constexpr BaseKernel squared_exponential = {
    .name = "SE",
    .title = "squared exponential",
    .formula = "σ² exp(−(x − x')² / (2ℓ²))",
    .parameters = parameter_list,
    .numerics = &kernel_numerics<SquaredExponential>,
    .is_stationary = true,
    .noun = "smooth function",
    .modifier = "changing smoothly",
};

}  // namespace covary::registry
