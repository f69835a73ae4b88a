// RQ, the rational quadratic kernel: a mixture of SE kernels over all lengthscales (paper, A.4).
//   k(x, x') = σ² (1 + (x − x')² / (2αℓ²))^−α,   k(x, x) = σ².
//   ℓ ~ Gamma(2, 2), σ² ~ Gamma(2, 3), α ~ Gamma(2, 2).
#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameter_list[] = {
    {"lengthscale", "ℓ", Quantity::input_length, Prior::gamma(2.0, 2.0)},
    {"variance", "σ²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
    {"alpha", "α", Quantity::shape, Prior::gamma(2.0, 2.0)},
};

struct RationalQuadratic {
  static constexpr std::size_t num_features = 1;
  static constexpr std::size_t num_parameters = 3;
  static constexpr auto prepare = prepare_nothing;

  struct Constants {
    double variance;
    double factor;           // 1 / (2αℓ²)
    double exponent_factor;  // −α
    double per_length;       // 2α / ℓ
    double per_variance;     // 1 / σ²
  };
  static Constants constants(const double* parameters) {
    const double length = parameters[0];
    const double variance = parameters[1];
    const double alpha = parameters[2];
    return {variance, 0.5 / (alpha * length * length), -alpha, 2.0 * alpha / length,
            1.0 / variance};
  }
  // log(1 + z) with z = (x − x')² / (2αℓ²):  k = σ² exp(−α log(1 + z)).
  COVARY_LANE static double shared(const Constants& c, const Lane& a, const Lane& b) {
    const double distance = a.x - b.x;
    return lane_log(1.0 + c.factor * distance * distance);
  }
  // ∂k/∂ℓ = k (2α/ℓ) z/(1+z),  ∂k/∂α = k (z/(1+z) − log(1+z)).
  COVARY_LANE static Slopes derivatives(const Constants& c, const Lane& a, const Lane& b, double k,
                                        double log_term) {
    const double distance = a.x - b.x;
    const double z = c.factor * distance * distance;
    const double ratio = z / (1.0 + z);
    return {k * ratio * c.per_length, k * c.per_variance, k * (ratio - log_term)};
  }
};

constexpr std::string_view gpytorch =
    R"py(def rational_quadratic(column, lengthscale, variance, alpha):
    kernel = gpytorch.kernels.RQKernel(active_dims=[column])
    return times(variance, with_values(kernel, lengthscale=lengthscale, alpha=alpha))
)py";

}  // namespace

constexpr BaseKernel rational_quadratic = {
    .name = "RQ",
    .title = "rational quadratic",
    .formula = "σ² (1 + (x − x')² / (2αℓ²))^−α",
    .parameters = parameter_list,
    .numerics = &kernel_numerics<RationalQuadratic>,
    .is_stationary = true,
    .noun = "function varying on several lengthscales at once",
    .modifier = "changing on several lengthscales at once",
    .role = KernelRole::smooth,
    .roughness = 1.0,
    // Several lengthscales at once cannot be seen in a few levels.
    .is_offered = [](const InputTraits& input) { return input.num_values > 10; },
    .exports = {.sklearn = "constant(variance) * RationalQuadratic(lengthscale, alpha, "
                           "around(lengthscale), around(alpha))",
                .gpytorch = gpytorch,
                .gpflow = "gpflow.kernels.RationalQuadratic(lengthscales=lengthscale, "
                          "variance=variance, alpha=alpha, active_dims=[column])"},
};

}  // namespace covary::registry
