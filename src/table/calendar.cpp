#include "table/calendar.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <covary/calendar.h>
#include <covary/dataset.h>

namespace covary {
namespace {

// The steps to each next different value, in order.
std::vector<double> steps_between(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> steps;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] > sorted[i - 1]) steps.push_back(sorted[i] - sorted[i - 1]);
  }
  return steps;
}

// Whether all steps are whole numbers of such a part of a year, and most of them one.
bool are_multiples(const std::vector<double>& steps, double part) {
  constexpr double slack = 0.1;  // decimals are cut off, months differ in length
  std::size_t num_single = 0;
  for (const double step : steps) {
    const double count = step / part;
    if (count < 0.5 || std::abs(count - std::round(count)) > slack) return false;
    if (count < 1.5) ++num_single;
  }
  return 2 * num_single > steps.size();
}

}  // namespace

bool counts_years(std::span<const double> values) {
  constexpr std::size_t least_steps = 7;
  constexpr double parts[] = {4.0, 12.0, 52.0, days_of_a_year / 7.0, 365.0, days_of_a_year};
  const bool are_years =
      std::all_of(values.begin(), values.end(), [](double y) { return y >= 1000.0 && y < 3000.0; });
  const std::vector<double> steps = are_years ? steps_between(values) : std::vector<double>();
  return steps.size() >= least_steps &&
         std::any_of(std::begin(parts), std::end(parts),
                     [&](double count) { return are_multiples(steps, 1.0 / count); });
}

double Scaling::year() const {
  constexpr double seconds_of_a_day = 86400.0;
  double in_raw_units = 0.0;
  if (type == ColumnType::date) in_raw_units = days_of_a_year;
  if (type == ColumnType::date_time) in_raw_units = days_of_a_year * seconds_of_a_day;
  if (type == ColumnType::number && counts_years) in_raw_units = 1.0;
  return in_raw_units / factor;
}

std::vector<double> years_of(const Dataset& data) {
  std::vector<double> years;
  for (std::size_t i = 0; i < data.num_inputs(); ++i) years.push_back(data.input_scaling(i).year());
  return years;
}

}  // namespace covary
