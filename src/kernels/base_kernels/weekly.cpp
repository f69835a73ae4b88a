// WEEK, the periodic kernel whose period is a week of the input's calendar.
#include "kernels/calendar_periodic.h"
#include "kernels/periodic_words.h"

namespace covary::registry {

constexpr BaseKernel weekly = {
    .name = "WEEK",
    .title = "weekly",
    .formula = "σ² exp(−sin²(π(x − x') / p) / (2ℓ²)), p: a week",
    .parameters = calendar_parameters,
    .numerics = &kernel_numerics<CalendarPeriodic>,
    .is_stationary = true,
    .noun = "weekly function",
    .modifier = "repeating every week",
    .role = KernelRole::periodic,
    .calendar_unit = CalendarUnit::week,
    .peak_length = periodic_peak_length,
    .remark = periodic_remark,
    .merge = merge_calendar,
    .state_form = StateForm::cycle,
    .is_offered = shows<CalendarUnit::week>,
    .exports = {.sklearn = calendar_sklearn,
                .gpytorch = periodic_gpytorch,
                .gpflow = periodic_gpflow},
};

}  // namespace covary::registry
