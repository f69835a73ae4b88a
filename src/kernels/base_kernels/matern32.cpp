// MAT32, the Matérn kernel of smoothness 3/2: functions that can be differentiated once.
//   k(x, x') = σ² (1 + √3 r) exp(−√3 r) with r = |x − x'| / ℓ,   k(x, x) = σ².
//   Priors as SE: ℓ ~ Gamma(2, 2), σ² ~ Gamma(2, 3).

#include "kernels/base_kernels/matern32.h"

#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameter_list[] = {
    {"lengthscale", "ℓ", Quantity::input_length, Prior::gamma(2.0, 2.0)},
    {"variance", "σ²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
};

constexpr std::string_view gpytorch = R"py(def matern32(column, lengthscale, variance):
    kernel = gpytorch.kernels.MaternKernel(nu=1.5, active_dims=[column])
    return times(variance, with_values(kernel, lengthscale=lengthscale))
)py";

}  // namespace

constexpr BaseKernel matern32 = {
    .name = "MAT32",
    .title = "Matérn 3/2",
    .formula = "σ² (1 + √3 r) exp(−√3 r), r = |x − x'| / ℓ",
    .parameters = parameter_list,
    .numerics = &kernel_numerics<Matern32>,
    .is_stationary = true,
    .noun = "rough function",
    .modifier = "changing roughly",
    .role = KernelRole::smooth,
    .roughness = 3.0,
    .state_form = StateForm::matern32,
    .is_offered =
        [](const InputTraits& input) {
          return input.is_sequence() || (!input.is_alone && input.num_values > 10);
        },
    .exports = {.sklearn = "constant(variance) * Matern(lengthscale, around(lengthscale), nu=1.5)",
                .gpytorch = gpytorch,
                .gpflow = "gpflow.kernels.Matern32(lengthscales=lengthscale, variance=variance, "
                          "active_dims=[column])"},
};

}  // namespace covary::registry
