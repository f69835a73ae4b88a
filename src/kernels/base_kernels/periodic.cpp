// PER, the periodic kernel (paper, A.4).
//   k(x, x') = σ² exp(−sin²(π(x − x') / p) / (2ℓ²)),   k(x, x) = σ².
//   ℓ ~ Gamma(2, 2), σ² ~ Gamma(2, 3), p ~ Gamma(2, 2). ℓ has no unit: it is measured against the
//   sine, not against the input.
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameters[] = {
    {"lengthscale", "ℓ", Quantity::shape, Prior::gamma(2.0, 2.0)},
    {"variance", "σ²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
    {"period", "p", Quantity::input_length, Prior::gamma(2.0, 2.0)},
};

}  // namespace

constexpr BaseKernel periodic = {
    .name = "PER",
    .title = "periodic",
    .formula = "σ² exp(−sin²(π(x − x') / p) / (2ℓ²))",
    .parameters = parameters,
    .is_stationary = true,
    .noun = "periodic function",
    .modifier = "repeating periodically",
};

}  // namespace covary::registry
