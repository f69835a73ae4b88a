// C, the constant kernel: one unknown number, the same at all points.
//   k(x, x') = σ²,   σ² ~ Gamma(2, 3), as LIN's constant.
#include "kernels/base_kernels/constant.h"

#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameter_list[] = {
    {"variance", "σ²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
};

// GPyTorch has a constant kernel in its newest versions only.
constexpr std::string_view gpytorch = R"py(def constant_function(column, variance):
    class Ones(gpytorch.kernels.Kernel):
        def forward(self, x1, x2, diag=False, **params):
            return x1.new_ones(x1.shape[:-1] if diag else (*x1.shape[:-1], x2.shape[-2]))

    return times(variance, Ones(active_dims=[column]))
)py";

}  // namespace

constexpr BaseKernel constant = {
    .name = "C",
    .title = "constant",
    .formula = "σ²",
    .parameters = parameter_list,
    .numerics = &kernel_numerics<Constant>,
    .is_stationary = true,
    .noun = "constant function",
    .modifier = "of constant size",
    .adds_up = true,
    .constant_place = 0,
    .uses_input = false,
    .state_form = StateForm::constant,
    .exports = {.sklearn = "constant(variance)",
                .gpytorch = gpytorch,
                .gpflow = "gpflow.kernels.Constant(variance=variance, active_dims=[column])"},
};

}  // namespace covary::registry
