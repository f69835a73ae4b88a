// WN, white noise: independent from row to row. Rows count, not inputs: rows with equal inputs do
// not share it, nor does a new point with a training row whose inputs it has.
//   k(i, j) = σ² if i and j are the same row, else 0.
//   By itself it is the noise that every model has. LIN*WN is noise whose size grows with an input,
//   CP(WN, ·) noise that changes at a place.
//   σ² ~ Exponential(10): mostly below the target's own variance, as noise is; wider than the
//   prior of the noise of all rows, since other factors change its size.
#include "kernels/base_kernels/white_noise.h"

#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

constexpr Parameter parameter_list[] = {
    {"variance", "σ²", Quantity::target_variance, Prior::exponential(10.0)},
};

}  // namespace

// GPyTorch has no kernel that tells rows from points.
constexpr BaseKernel white_noise = {
    .name = "WN",
    .title = "white noise",
    .formula = "σ² for x and x' of the same row, else 0",
    .parameters = parameter_list,
    .numerics = &kernel_numerics<WhiteNoise>,
    .is_stationary = true,
    .noun = "noise",
    .modifier = "as noise",
    .adds_up = true,
    .uses_input = false,
    .is_white = true,
    // Beside the noise that every model has it is of use where its size changes, which takes rows.
    .state_form = StateForm::noise,
    .is_offered = [](const InputTraits& input) { return input.is_alone && input.num_values >= 60; },
    .exports = {.sklearn = "WhiteKernel(variance, around(variance))",
                .gpflow = "gpflow.kernels.White(variance=variance, active_dims=[column])"},
};

}  // namespace covary::registry
