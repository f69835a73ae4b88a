// MAT32, the Matérn kernel of smoothness 3/2: functions that can be differentiated once.
//   k(x, x') = σ² (1 + √3 r) exp(−√3 r) with r = |x − x'| / ℓ,   k(x, x) = σ².
//   Priors as SE: ℓ ~ Gamma(2, 2), σ² ~ Gamma(2, 3).
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameters[] = {
    {"lengthscale", "ℓ", Quantity::input_length, Prior::gamma(2.0, 2.0)},
    {"variance", "σ²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
};

}  // namespace

constexpr BaseKernel matern32 = {
    .name = "MAT32",
    .title = "Matérn 3/2",
    .formula = "σ² (1 + √3 r) exp(−√3 r), r = |x − x'| / ℓ",
    .parameters = parameters,
    .is_stationary = true,
    .noun = "rough function",
    .modifier = "changing roughly",
};

}  // namespace covary::registry
