#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace covary {

// How far a quantile plot of the values leaves the diagonal: the largest of sorted value less
// reference, and the largest of reference less sorted value.
struct QuantileDeviation {
  double above = 0.0;
  double below = 0.0;
};
QuantileDeviation quantile_deviation(std::span<const double> values,
                                     std::span<const double> reference);

// Of the standard normal distribution at (i + ½) / n.
std::vector<double> normal_quantiles(std::size_t size);

}  // namespace covary
