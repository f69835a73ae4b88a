#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/evidence.h>

#include "base/checkpoint.h"
#include "table/sampling.h"

namespace covary {
namespace {

// Two whole cycles, of three rows each at the least.
bool can_show(double cycle, const Sampling& sampling) {
  constexpr double least_cycles = 2.0;
  constexpr double least_rows = 3.0;
  // Twelve months are 365 days or 366, and their spacing is now 28, now 31 days.
  constexpr double slack = 1.05;
  return least_cycles * cycle <= slack * (sampling.span + sampling.spacing) &&
         least_rows * sampling.spacing <= slack * cycle;
}

// Steps of months differ by a tenth.
bool is_even(const std::set<double>& values) {
  constexpr double slack = 0.15;
  const double step = (*values.rbegin() - *values.begin()) / static_cast<double>(values.size() - 1);
  return std::adjacent_find(values.begin(), values.end(), [&](double a, double b) {
           return std::abs(b - a - step) > slack * step;
         }) == values.end();
}

InputTraits traits_of(std::span<const double> values, const Scaling& scaling) {
  const std::set<double> different(values.begin(), values.end());
  InputTraits traits;
  traits.num_values = different.size();
  traits.is_even = different.size() == values.size() && different.size() > 2 && is_even(different);
  if (scaling.is_category()) traits.kind = InputKind::category;
  const double year = scaling.year();
  if (!(year > 0.0)) return traits;
  traits.has_calendar = true;
  const Sampling sampling = sampling_of(values);
  for (const CalendarUnit unit : {CalendarUnit::year, CalendarUnit::week, CalendarUnit::day}) {
    if (can_show(year * in_years(unit), sampling)) traits.cycles.push_back(unit);
  }
  return traits;
}

}  // namespace

InputNames inputs_of(const Dataset& data) {
  std::vector<InputTraits> traits;
  for (std::size_t i = 0; i < data.num_inputs(); ++i) {
    StopPoint::pass();
    traits.push_back(traits_of(data.input(i), data.input_scaling(i)));
    traits.back().is_alone = data.num_inputs() == 1;
  }
  return InputNames(data.input_names(), std::move(traits));
}

Expression bound_to(const Dataset& data, const Expression& kernel) {
  if (kernel.num_inputs_needed() > data.num_inputs()) {
    throw Error(ErrorKind::bad_data, fmt::format("the kernel needs {} inputs, the data have {}",
                                                 kernel.num_inputs_needed(), data.num_inputs()));
  }
  return with_periods(kernel, years_of(data));
}

}  // namespace covary
