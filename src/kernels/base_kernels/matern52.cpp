// MAT52, the Matérn kernel of smoothness 5/2: functions that can be differentiated twice.
//   k(x, x') = σ² (1 + √5 r + 5r²/3) exp(−√5 r) with r = |x − x'| / ℓ,   k(x, x) = σ².
//   Priors as SE: ℓ ~ Gamma(2, 2), σ² ~ Gamma(2, 3).

#include "kernels/base_kernels/matern52.h"

#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameter_list[] = {
    {"lengthscale", "ℓ", Quantity::input_length, Prior::gamma(2.0, 2.0)},
    {"variance", "σ²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
};

constexpr std::string_view gpytorch = R"py(def matern52(column, lengthscale, variance):
    kernel = gpytorch.kernels.MaternKernel(nu=2.5, active_dims=[column])
    return times(variance, with_values(kernel, lengthscale=lengthscale))
)py";

}  // namespace

constexpr BaseKernel matern52 = {
    .name = "MAT52",
    .title = "Matérn 5/2",
    .formula = "σ² (1 + √5 r + 5r²/3) exp(−√5 r), r = |x − x'| / ℓ",
    .parameters = parameter_list,
    .numerics = &kernel_numerics<Matern52>,
    .is_stationary = true,
    .noun = "fairly smooth function",
    .modifier = "changing fairly smoothly",
    .role = KernelRole::smooth,
    .roughness = 2.0,
    .state_form = StateForm::matern52,
    .exports = {.sklearn = "constant(variance) * Matern(lengthscale, around(lengthscale), nu=2.5)",
                .gpytorch = gpytorch,
                .gpflow = "gpflow.kernels.Matern52(lengthscales=lengthscale, variance=variance, "
                          "active_dims=[column])"},
};

}  // namespace covary::registry
