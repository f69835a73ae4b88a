#pragma once

#include <span>

namespace covary {

// Whether numbers plainly count years: between 1000 and 3000, in even steps (some may be missing)
// that a year is divided into by days, weeks, months or quarters.
bool counts_years(std::span<const double> values);

}  // namespace covary
