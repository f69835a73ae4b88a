// LIN, the linear kernel (paper, A.4).
//   k(x, x') = σ² x x' + σ_c²,   k(x, x) = σ² x² + σ_c².
//   σ² ~ Gamma(2, 3), σ_c² ~ Gamma(2, 3).
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameters[] = {
    {"variance", "σ²", Quantity::slope_variance, Prior::gamma(2.0, 3.0)},
    {"constant_variance", "σ_c²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
};

}  // namespace

constexpr BaseKernel linear = {
    .name = "LIN",
    .title = "linear",
    .formula = "σ² x x' + σ_c²",
    .parameters = parameters,
    .is_stationary = false,
    .noun = "linear function",
    .modifier = "with linearly changing amplitude",
};

}  // namespace covary::registry
