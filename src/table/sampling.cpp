#include "table/sampling.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace covary {
namespace {

double span_of(std::span<const double> values) {
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  return values.empty() ? 0.0 : *highest - *lowest;
}

}  // namespace

double typical_spacing(std::span<const double> values) {
  constexpr double tight = 0.05;
  const double span = span_of(values);
  if (!(span > 0.0)) return 0.0;
  std::vector<double> spacings(values.begin(), values.end());
  std::sort(spacings.begin(), spacings.end());
  std::adjacent_difference(spacings.begin(), spacings.end(), spacings.begin());
  spacings.erase(spacings.begin());
  const auto mean = [&] { return span / static_cast<double>(spacings.size()); };
  std::erase_if(spacings, [&](double spacing) { return spacing <= 1e-9 * span; });
  std::erase_if(spacings, [least = tight * mean()](double spacing) { return spacing <= least; });
  const auto quartile = spacings.begin() + static_cast<std::ptrdiff_t>(spacings.size() / 4);
  std::nth_element(spacings.begin(), quartile, spacings.end());
  return std::clamp(*quartile, 0.25 * mean(), mean());
}

double Sampling::longest_period() const {
  constexpr double least_periods = 1.75;
  // A month more than the span: 24 months have two years.
  return std::max((span + spacing) / least_periods, 2.0 * shortest_period());
}

Sampling sampling_of(std::span<const double> values) {
  Sampling sampling{span_of(values), typical_spacing(values)};
  if (!(sampling.spacing > 0.0)) sampling = {1.0, 1.0};  // nothing varies, so nothing matters
  return sampling;
}

}  // namespace covary
