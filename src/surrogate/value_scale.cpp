#include "surrogate/value_scale.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace covary {
namespace {

// The quantile of sorted values, linear between neighbours.
double quantile(std::span<const double> sorted, double level) {
  const double place = level * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

ValueScale::ValueScale(std::span<const double> values, const ScaleOptions& options) {
  if (values.empty()) return;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  if (options.pulls_in_low_values) {
    quartile_distance_ = quantile(sorted, 0.75) - quantile(sorted, 0.25);
    edge_ = quantile(sorted, 0.5) - options.reach * quartile_distance_;
  }
  if (!options.is_standardised) return;
  const auto n = static_cast<double>(values.size());
  double sum = 0.0;
  for (const double value : sorted) sum += pulled_in(value);
  offset_ = sum / n;
  double squares = 0.0;
  for (const double value : sorted) {
    squares += (pulled_in(value) - offset_) * (pulled_in(value) - offset_);
  }
  const double sd = std::sqrt(squares / n);
  // Equal values, but for rounding, have no scale of their own.
  if (sd > 1e-12 * std::max(std::abs(offset_), 1e-300)) unit_ = sd;
}

double ValueScale::pulled_in(double value) const {
  if (quartile_distance_ <= 0.0 || value >= edge_) return value;
  return edge_ - quartile_distance_ * std::log1p((edge_ - value) / quartile_distance_);
}

}  // namespace covary
