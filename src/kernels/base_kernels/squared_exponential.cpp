// SE, the squared exponential kernel (paper, A.4).
//   k(x, x') = σ² exp(−(x − x')² / (2ℓ²)),   k(x, x) = σ².
//   ℓ ~ Gamma(2, 2), σ² ~ Gamma(2, 3).
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameters[] = {
    {"lengthscale", "ℓ", Quantity::input_length, Prior::gamma(2.0, 2.0)},
    {"variance", "σ²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
};

}  // namespace

constexpr BaseKernel squared_exponential = {
    .name = "SE",
    .title = "squared exponential",
    .formula = "σ² exp(−(x − x')² / (2ℓ²))",
    .parameters = parameters,
    .is_stationary = true,
    .noun = "smooth function",
    .modifier = "changing smoothly",
};

}  // namespace covary::registry
