#pragma once

#include <optional>
#include <vector>

namespace covary {

// An even grid that numbers lie on.
struct NumberGrid {
  double step = 0.0;
  double origin = 0.0;
  double worst = 0.0;  // distance of a value from its place, in steps
};

// The grid of about that step on which the values lie, most of them on neighbouring places. With
// `is_exact`, of that step to the last digit; otherwise the one that fits first and last value.
// REQUIRES: rising values.
std::optional<NumberGrid> grid_of(const std::vector<double>& values, double step, bool is_exact);

// Whether a distance is not one step, two, or any whole number of them.
bool is_odd(double distance, double step);

double median_distance(const std::vector<double>& values);

double rounded(double value, int decimals);

// So many as all of these are written with; digits that a step or a double cannot tell apart do not
// count.
int decimals_of(const std::vector<double>& values, double step);

}  // namespace covary
