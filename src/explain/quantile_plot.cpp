#include "explain/quantile_plot.h"

#include <algorithm>
#include <limits>
#include <numbers>

#include <boost/math/special_functions/erf.hpp>

namespace covary {

QuantileDeviation quantile_deviation(std::span<const double> values,
                                     std::span<const double> reference) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  constexpr double infinity = std::numeric_limits<double>::infinity();
  QuantileDeviation deviation{-infinity, -infinity};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    deviation.above = std::max(deviation.above, sorted[i] - reference[i]);
    deviation.below = std::max(deviation.below, reference[i] - sorted[i]);
  }
  return deviation;
}

std::vector<double> normal_quantiles(std::size_t size) {
  std::vector<double> quantiles;
  for (std::size_t i = 0; i < size; ++i) {
    const double probability = (static_cast<double>(i) + 0.5) / static_cast<double>(size);
    quantiles.push_back(-std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * probability));
  }
  return quantiles;
}

}  // namespace covary
