// ALIKE, levels of a category that are alike to a degree, σ_c² / (σ² + σ_c²).
//   k(x, x') = σ² [x = x'] + σ_c²,   k(x, x) = σ² + σ_c².
//   σ² ~ Gamma(2, 3), σ_c² ~ Gamma(2, 3).
#include "kernels/base_kernels/alike.h"

#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameter_list[] = {
    {"variance", "σ²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
    {"constant_variance", "σ_c²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
};

// (σ² [x = x'] + σ_c²) (τ² [x = x'] + τ_c²) = (σ² τ² + σ² τ_c² + σ_c² τ²) [x = x'] + σ_c² τ_c²
void merge(std::span<double> values, std::span<const double> others) {
  values[0] = values[0] * (others[0] + others[1]) + values[1] * others[0];
  values[1] *= others[1];
}

}  // namespace

constexpr BaseKernel alike = {
    .name = "ALIKE",
    .title = "alike levels",
    .formula = "σ² [x = x'] + σ_c²",
    .parameters = parameter_list,
    .numerics = &kernel_numerics<Alike>,
    .is_stationary = true,
    .noun = "value for each level",
    .modifier = "partly differing by",
    .acts_on = InputKind::category,
    .merge = merge,
    .adds_up = true,
    .constant_place = 1,
    .is_offered = [](const InputTraits& /*input*/) { return true; },
};

}  // namespace covary::registry
