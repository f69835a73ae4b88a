// CAT, levels of a category that have nothing to do with each other.
//   k(x, x') = σ² [x = x'],   k(x, x) = σ².
//   σ² ~ Gamma(2, 3).
#include "kernels/base_kernels/category.h"

#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameter_list[] = {
    {"variance", "σ²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
};

void merge(std::span<double> values, std::span<const double> others) { values[0] *= others[0]; }

}  // namespace

constexpr BaseKernel category = {
    .name = "CAT",
    .title = "category",
    .formula = "σ² [x = x']",
    .parameters = parameter_list,
    .numerics = &kernel_numerics<Category>,
    .is_stationary = true,
    .noun = "value for each level",
    .modifier = "differing by",
    .acts_on = InputKind::category,
    .merge = merge,
    .adds_up = true,
    .is_offered = [](const InputTraits& /*input*/) { return true; },
};

}  // namespace covary::registry
