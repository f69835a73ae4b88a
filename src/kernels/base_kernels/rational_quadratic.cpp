// RQ, the rational quadratic kernel: a mixture of SE kernels over all lengthscales (paper, A.4).
//   k(x, x') = σ² (1 + (x − x')² / (2αℓ²))^−α,   k(x, x) = σ².
//   ℓ ~ Gamma(2, 2), σ² ~ Gamma(2, 3), α ~ Gamma(2, 2).
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameters[] = {
    {"lengthscale", "ℓ", Quantity::input_length, Prior::gamma(2.0, 2.0)},
    {"variance", "σ²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
    {"alpha", "α", Quantity::shape, Prior::gamma(2.0, 2.0)},
};

}  // namespace

constexpr BaseKernel rational_quadratic = {
    .name = "RQ",
    .title = "rational quadratic",
    .formula = "σ² (1 + (x − x')² / (2αℓ²))^−α",
    .parameters = parameters,
    .is_stationary = true,
    .noun = "function varying on several lengthscales at once",
    .modifier = "changing on several lengthscales at once",
};

}  // namespace covary::registry
