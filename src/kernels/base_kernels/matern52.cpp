// MAT52, the Matérn kernel of smoothness 5/2: functions that can be differentiated twice.
//   k(x, x') = σ² (1 + √5 r + 5r²/3) exp(−√5 r) with r = |x − x'| / ℓ,   k(x, x) = σ².
//   Priors as SE: ℓ ~ Gamma(2, 2), σ² ~ Gamma(2, 3).
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameters[] = {
    {"lengthscale", "ℓ", Quantity::input_length, Prior::gamma(2.0, 2.0)},
    {"variance", "σ²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
};

}  // namespace

constexpr BaseKernel matern52 = {
    .name = "MAT52",
    .title = "Matérn 5/2",
    .formula = "σ² (1 + √5 r + 5r²/3) exp(−√5 r), r = |x − x'| / ℓ",
    .parameters = parameters,
    .is_stationary = true,
    .noun = "fairly smooth function",
    .modifier = "changing fairly smoothly",
};

}  // namespace covary::registry
