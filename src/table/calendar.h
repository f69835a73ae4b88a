#pragma once

#include <span>
#include <string_view>

namespace covary {

// Whether numbers plainly count years: between 1000 and 3000, in even steps (some may be missing)
// that a year is divided into by days, weeks, months or quarters.
bool counts_years(std::span<const double> values);

// How many days a number of the column is, 0 where the numbers do not plainly count time: years as
// above, or what the name says ("day", "elapsed hours", "t (min)", "days since start"), in even
// steps (some may be missing) that a day, or a whole number of days, is divided into.
double days_a_unit(std::string_view name, std::span<const double> values);

}  // namespace covary
