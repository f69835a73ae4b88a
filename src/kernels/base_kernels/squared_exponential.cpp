// SE, the squared exponential kernel (paper, A.4).
//   k(x, x') = σ² exp(−(x − x')² / (2ℓ²)),   k(x, x) = σ².
//   ℓ ~ Gamma(2, 2), σ² ~ Gamma(2, 3).
#include "kernels/base_kernels/squared_exponential.h"

#include <cmath>

#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameter_list[] = {
    {"lengthscale", "ℓ", Quantity::input_length, Prior::gamma(2.0, 2.0)},
    {"variance", "σ²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
};

// σ₁² SE(ℓ₁) × σ₂² SE(ℓ₂)  =  σ₁²σ₂² SE(ℓ), with 1/ℓ² = 1/ℓ₁² + 1/ℓ₂².
void merge(std::span<double> values, std::span<const double> others) {
  // The hypotenuse does not overflow where a square would.
  values[0] = 1.0 / std::hypot(1.0 / values[0], 1.0 / others[0]);
  values[1] *= others[1];
}

constexpr std::string_view gpytorch = R"py(def squared_exponential(column, lengthscale, variance):
    kernel = gpytorch.kernels.RBFKernel(active_dims=[column])
    return times(variance, with_values(kernel, lengthscale=lengthscale))
)py";

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
    .role = KernelRole::smooth,
    .roughness = 0.0,
    .is_named_by_length = true,
    .merge = merge,
    .state_form = StateForm::smooth,
    .is_offered = [](const InputTraits& /*input*/) { return true; },
    .exports = {.sklearn = "constant(variance) * RBF(lengthscale, around(lengthscale))",
                .gpytorch = gpytorch,
                .gpflow = "gpflow.kernels.SquaredExponential(lengthscales=lengthscale, "
                          "variance=variance, active_dims=[column])"},
};

}  // namespace covary::registry
