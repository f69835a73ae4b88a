#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include <boost/math/special_functions/erf.hpp>
#include <fmt/format.h>

#include <covary/model.h>

#include "evidence/gaussian_mixture.h"

namespace covary {
namespace {

GaussianMixture mixture_at(const std::vector<Prediction::Part>& parts, std::size_t point) {
  std::vector<WeightedGaussian> members;
  members.reserve(parts.size());
  for (const Prediction::Part& part : parts) {
    members.push_back({part.mean[point], part.sd[point], part.weight});
  }
  return GaussianMixture(std::move(members));
}

void check_probability(std::string_view name, double value) {
  if (value > 0.0 && value < 1.0) return;
  throw Error(ErrorKind::usage, fmt::format("{} must be between 0 and 1, not {}", name, value));
}

}  // namespace

std::vector<double> Prediction::quantile(double probability) const {
  check_probability("probability", probability);
  std::vector<double> values(mean.size());
  if (parts.empty()) {
    const double z = -std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * probability);
    for (std::size_t i = 0; i < mean.size(); ++i) values[i] = mean[i] + z * sd[i];
    return values;
  }
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const GaussianMixture mixture = mixture_at(parts, i);
    values[i] =
        untransformed(transform, probability <= 0.5 ? mixture.lower_quantile(probability)
                                                    : mixture.upper_quantile(1.0 - probability));
  }
  return values;
}

Prediction::Interval Prediction::interval(double level) const {
  check_probability("level", level);
  // Both ends from the lower tail, where doubles can tell levels near 1 apart.
  Interval interval{mean, mean};
  if (parts.empty()) {
    const double z = std::numbers::sqrt2 * boost::math::erfc_inv(1.0 - level);
    for (std::size_t i = 0; i < mean.size(); ++i) {
      interval.lower[i] -= z * sd[i];
      interval.upper[i] += z * sd[i];
    }
    return interval;
  }
  const double tail = 0.5 * (1.0 - level);
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const GaussianMixture mixture = mixture_at(parts, i);
    interval.lower[i] = untransformed(transform, mixture.lower_quantile(tail));
    interval.upper[i] = untransformed(transform, mixture.upper_quantile(tail));
  }
  return interval;
}

}  // namespace covary
