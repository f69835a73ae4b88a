// LIN, the linear kernel (paper, A.4).
//   k(x, x') = σ² x x' + σ_c²,   k(x, x) = σ² x² + σ_c².
//   σ² ~ Gamma(2, 3), σ_c² ~ Gamma(2, 3).
#include "kernels/base_kernels/linear.h"

#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameter_list[] = {
    {"variance", "σ²", Quantity::slope_variance, Prior::gamma(2.0, 3.0)},
    {"constant_variance", "σ_c²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
};

// GPyTorch's LinearKernel has no constant, so that it is a polynomial of the first degree.
constexpr std::string_view gpytorch = R"py(def linear(column, variance, constant_variance):
    """variance * x * x' + constant_variance"""
    kernel = gpytorch.kernels.PolynomialKernel(power=1, active_dims=[column])
    return times(variance, with_values(kernel, offset=constant_variance / variance))
)py";

}  // namespace

constexpr BaseKernel linear = {
    .name = "LIN",
    .title = "linear",
    .formula = "σ² x x' + σ_c²",
    .parameters = parameter_list,
    .numerics = &kernel_numerics<Linear>,
    .is_stationary = false,
    .noun = "linear function",
    .modifier = "with linearly changing amplitude",
    .role = KernelRole::polynomial,
    .adds_up = true,
    .constant_place = 1,
    .state_form = StateForm::line,
    .is_offered = [](const InputTraits& /*input*/) { return true; },
    .exports = {.sklearn = "constant(variance) * DotProduct(0.0, 'fixed') + "
                           "constant(constant_variance)",
                .gpytorch = gpytorch,
                .gpflow = "gpflow.kernels.Polynomial(degree=1.0, variance=variance, "
                          "offset=constant_variance, active_dims=[column])"},
};

}  // namespace covary::registry
