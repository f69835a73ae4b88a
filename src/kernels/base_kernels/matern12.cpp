// MAT12, the Matérn kernel of smoothness 1/2 (Ornstein and Uhlenbeck): continuous functions that
// cannot be differentiated, a random walk that is drawn back to its mean.
//   k(x, x') = σ² exp(−|x − x'| / ℓ),   k(x, x) = σ².
//   Priors as SE: ℓ ~ Gamma(2, 2), σ² ~ Gamma(2, 3).

#include "kernels/base_kernels/matern12.h"

#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameter_list[] = {
    {"lengthscale", "ℓ", Quantity::input_length, Prior::gamma(2.0, 2.0)},
    {"variance", "σ²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
};

// σ₁² MAT12(ℓ₁) × σ₂² MAT12(ℓ₂)  =  σ₁²σ₂² MAT12(ℓ), with 1/ℓ = 1/ℓ₁ + 1/ℓ₂.
void merge(std::span<double> values, std::span<const double> others) {
  values[0] = 1.0 / (1.0 / values[0] + 1.0 / others[0]);
  values[1] *= others[1];
}

constexpr std::string_view gpytorch = R"py(def matern12(column, lengthscale, variance):
    kernel = gpytorch.kernels.MaternKernel(nu=0.5, active_dims=[column])
    return times(variance, with_values(kernel, lengthscale=lengthscale))
)py";

}  // namespace

constexpr BaseKernel matern12 = {
    .name = "MAT12",
    .title = "Matérn 1/2",
    .formula = "σ² exp(−|x − x'| / ℓ)",
    .parameters = parameter_list,
    .numerics = &kernel_numerics<Matern12>,
    .is_stationary = true,
    .noun = "very rough function",
    .modifier = "changing very roughly",
    .role = KernelRole::smooth,
    .roughness = 4.0,
    .merge = merge,
    .state_form = StateForm::matern12,
    .exports = {.sklearn = "constant(variance) * Matern(lengthscale, around(lengthscale), nu=0.5)",
                .gpytorch = gpytorch,
                .gpflow = "gpflow.kernels.Matern12(lengthscales=lengthscale, variance=variance, "
                          "active_dims=[column])"},
};

}  // namespace covary::registry
