// RW, the random walk: a Wiener process on both sides of 0 of the scaled input, which is where the
// data begin, from a start that is unknown. What forecasters call a local level.
//   k(x, x') = σ² (|x| + |x'| − |x − x'|) / 2 + σ_c²,   k(x, x) = σ² |x| + σ_c².
//   That is σ² min(|x|, |x'|) on one side of 0, and no covariance of steps across it.
//   σ², the variance of a step of length 1, ~ Gamma(2, 3); σ_c² ~ Gamma(2, 3), as LIN's.

#include "kernels/base_kernels/random_walk.h"

#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameter_list[] = {
    {"variance", "σ²", Quantity::variance_rate, Prior::gamma(2.0, 3.0)},
    {"constant_variance", "σ_c²", Quantity::target_variance, Prior::gamma(2.0, 3.0)},
};

std::string_view remark(std::span<const double> /*values*/) {
  return "A forecast of it stays where it was last, ever less sure.";
}

}  // namespace

constexpr BaseKernel random_walk = {
    .name = "RW",
    .title = "random walk",
    .formula = "σ² (|x| + |x'| − |x − x'|) / 2 + σ_c²",
    .parameters = parameter_list,
    .numerics = &kernel_numerics<RandomWalk>,
    .is_stationary = false,
    .noun = "function wandering as a random walk",
    .modifier = "changing as a random walk",
    .role = KernelRole::wandering,
    .remark = remark,
    .adds_up = true,
    .constant_place = 1,
    .state_form = StateForm::random_walk,
    .is_offered = [](const InputTraits& input) { return input.is_sequence(); },
};

}  // namespace covary::registry
