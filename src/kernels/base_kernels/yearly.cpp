// YEAR, the periodic kernel whose period is a year of the input's calendar.
#include "kernels/calendar_periodic.h"
#include "kernels/periodic_words.h"

namespace covary::registry {

constexpr BaseKernel yearly = {
    .name = "YEAR",
    .title = "yearly",
    .formula = "σ² exp(−sin²(π(x − x') / p) / (2ℓ²)), p: a year",
    .parameters = calendar_parameters,
    .numerics = &kernel_numerics<CalendarPeriodic>,
    .is_stationary = true,
    .noun = "yearly function",
    .modifier = "repeating every year",
    .role = KernelRole::periodic,
    .calendar_unit = CalendarUnit::year,
    .peak_length = periodic_peak_length,
    .remark = periodic_remark,
    .merge = merge_calendar,
    .state_form = StateForm::cycle,
    .is_offered = shows<CalendarUnit::year>,
    .exports = {.sklearn = calendar_sklearn,
                .gpytorch = periodic_gpytorch,
                .gpflow = periodic_gpflow},
};

}  // namespace covary::registry
