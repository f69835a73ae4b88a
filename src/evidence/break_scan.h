#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace covary {

// Places on an input where the target may change its way: two straight lines, one before and one
// after such a place, follow it better than one line, and better than with the break nearby. The
// strongest first, in O(n log n). Only a hint of where fits of change points should start.
std::vector<double> strongest_breaks(std::span<const double> x, std::span<const double> y,
                                     std::size_t max_breaks);

}  // namespace covary
