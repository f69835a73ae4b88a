// RQ, the rational quadratic kernel: a mixture of SE kernels over all lengthscales (paper, A.4).
//   k(x, x') = σ² (1 + (x − x')² / (2αℓ²))^−α,   k(x, x) = σ².
//   ℓ ~ Gamma(2, 2), σ² ~ Gamma(2, 3), α ~ Gamma(2, 2).
#include "kernels/base_kernels/rational_quadratic.h"

#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameter_list[] = {
    {"lengthscale", "ℓ", Quantity::input_length, Prior::gamma(2.0, 2.0)},
    {"variance", "σ²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
    {"alpha", "α", Quantity::shape, Prior::gamma(2.0, 2.0)},
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
