// PER, the periodic kernel (paper, A.4).
//   k(x, x') = σ² exp(−sin²(π(x − x') / p) / (2ℓ²)),   k(x, x) = σ².
//   ℓ ~ Gamma(2, 2), σ² ~ Gamma(2, 3), p ~ Gamma(2, 2). ℓ has no unit: it is measured against the
//   sine, not against the input.

#include "kernels/base_kernels/periodic.h"

#include "kernels/numerics.h"
#include "kernels/periodic_words.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameter_list[] = {
    {"lengthscale", "ℓ", Quantity::shape, Prior::gamma(2.0, 2.0)},
    {"variance", "σ²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
    {"period", "p", Quantity::input_length, Prior::gamma(2.0, 2.0)},
};

}  // namespace

constexpr BaseKernel periodic = {
    .name = "PER",
    .title = "periodic",
    .formula = "σ² exp(−sin²(π(x − x') / p) / (2ℓ²))",
    .parameters = parameter_list,
    .numerics = &kernel_numerics<Periodic>,
    .is_stationary = true,
    .noun = "periodic function",
    .modifier = "repeating periodically",
    .role = KernelRole::periodic,
    .peak_length = periodic_peak_length,
    .remark = periodic_remark,
    // Among several inputs a period is nearly always an accident, and a costly one. So it is beside
    // those of the calendar, unless there are many rows to show it.
    .state_form = StateForm::cycle,
    .is_offered =
        [](const InputTraits& input) {
          return input.is_alone && (input.cycles.empty() || input.num_values >= 120);
        },
    .exports = {.sklearn = periodic_sklearn,
                .gpytorch = periodic_gpytorch,
                .gpflow = periodic_gpflow},
};

}  // namespace covary::registry
