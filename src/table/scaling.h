#pragma once

#include <span>

namespace covary {

// What scales a column. Both fields are finite and the factor is a normal positive number, unless
// the column's spread is out of a double's range; then the factor is 0 (too small) or infinite.
struct Scale {
  double offset = 0.0;
  double factor = 1.0;
};

// To [0, 1]: minimum and range.
Scale unit_interval_scale(std::span<const double> values);

// To 0: in units of what a double can tell from the value, for want of any spread.
Scale constant_scale(double value);

// To mean 0 and standard deviation 1 (divisor n).
Scale standard_scale(std::span<const double> values);

}  // namespace covary
