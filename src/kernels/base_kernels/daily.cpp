// DAY, the periodic kernel whose period is a day of the input's calendar.
#include "kernels/calendar_periodic.h"
#include "kernels/periodic_words.h"

namespace covary::registry {

constexpr BaseKernel daily = {
    .name = "DAY",
    .title = "daily",
    .formula = "σ² exp(−sin²(π(x − x') / p) / (2ℓ²)), p: a day",
    .parameters = calendar_parameters,
    .numerics = &kernel_numerics<CalendarPeriodic>,
    .is_stationary = true,
    .noun = "daily function",
    .modifier = "repeating every day",
    .role = KernelRole::periodic,
    .calendar_unit = CalendarUnit::day,
    .peak_length = periodic_peak_length,
    .remark = periodic_remark,
    .merge = merge_calendar,
    .state_form = StateForm::cycle,
    .is_offered = shows<CalendarUnit::day>,
    .exports = {.sklearn = calendar_sklearn,
                .gpytorch = periodic_gpytorch,
                .gpflow = periodic_gpflow},
};

}  // namespace covary::registry
