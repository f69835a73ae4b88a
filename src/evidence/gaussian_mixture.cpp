#include "evidence/gaussian_mixture.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <numbers>
#include <utility>

#include <boost/math/special_functions/erf.hpp>
#include <boost/math/tools/toms748_solve.hpp>

namespace covary {
namespace {

constexpr std::uintmax_t max_steps = 200;  // a dozen will do; fifty are rare

// The probability of a Gaussian beyond a distance of 0 or more from its mean, to one side.
double tail_beyond(double distance, double sd) {
  if (!(sd > 0.0)) return 0.0;  // underflow: all of it is at the mean
  return 0.5 * std::erfc(distance / sd / std::numbers::sqrt2);
}

// A total order, also of numbers that are none.
bool stands_before(const WeightedGaussian& a, const WeightedGaussian& b) {
  for (const auto member :
       {&WeightedGaussian::mean, &WeightedGaussian::sd, &WeightedGaussian::weight}) {
    const std::strong_ordering order = std::strong_order(a.*member, b.*member);
    if (order != std::strong_ordering::equal) return order == std::strong_ordering::less;
  }
  return false;
}

}  // namespace

GaussianMixture::GaussianMixture(std::vector<WeightedGaussian> members)
    : members_(std::move(members)) {
  std::sort(members_.begin(), members_.end(), stands_before);
}

double GaussianMixture::mean() const {
  double sum = 0.0;
  for (const WeightedGaussian& member : members_) sum += member.weight * member.mean;
  return sum;
}

double GaussianMixture::sd() const {
  const double center = mean();
  double unit = 0.0;  // keeps the squares in range
  for (const WeightedGaussian& member : members_) {
    unit = std::max({unit, member.sd, std::abs(member.mean - center)});
  }
  if (!(unit > 0.0)) return 0.0;
  double variance = 0.0;
  for (const WeightedGaussian& member : members_) {
    const double within = member.sd / unit;
    const double between = (member.mean - center) / unit;
    variance += member.weight * (within * within + between * between);
  }
  return unit * std::sqrt(variance);
}

// P(number < x) - tail, which grows with x. Members to the left of x count by their weight less
// their small upper tail: where the Gaussians lie far apart and the distribution function is flat,
// the weights cancel first and the small tails still say where the quantile is.
double GaussianMixture::excess_below(double x, double tail) const {
  double weight_to_the_left = 0.0;
  double tails = 0.0;
  for (const WeightedGaussian& member : members_) {
    if (member.mean <= x) {
      weight_to_the_left += member.weight;
      tails -= member.weight * tail_beyond(x - member.mean, member.sd);
    } else {
      tails += member.weight * tail_beyond(member.mean - x, member.sd);
    }
  }
  return (weight_to_the_left - tail) + tails;
}

double GaussianMixture::lower_quantile(double tail) const {
  // The solver multiplies widths, which has to stay within double precision; a power of two costs
  // no digit.
  constexpr double largest = 0x1p300;
  constexpr double smallest = 0x1p-300;
  double reach = 0.0;
  for (const WeightedGaussian& member : members_) {
    reach = std::max({reach, std::abs(member.mean), member.sd});
  }
  if (std::isfinite(reach) && reach > 0.0 && (reach > largest || reach < smallest)) {
    const int exponent = std::ilogb(reach);
    std::vector<WeightedGaussian> scaled = members_;
    for (WeightedGaussian& member : scaled) {
      member.mean = std::ldexp(member.mean, -exponent);
      member.sd = std::ldexp(member.sd, -exponent);
    }
    return std::ldexp(GaussianMixture(std::move(scaled)).lower_quantile(tail), exponent);
  }
  const double z = std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * tail);
  // The quantile of a mixture lies between those of its members.
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  double smallest_sd = low;
  for (const WeightedGaussian& member : members_) {
    const double quantile = member.mean - z * member.sd;
    if (std::isnan(quantile)) return quantile;
    low = std::min(low, quantile);
    high = std::max(high, quantile);
    smallest_sd = std::min(smallest_sd, member.sd);
  }
  if (!(low < high)) return low;
  if (!std::isfinite(high - low)) return 0.5 * low + 0.5 * high;  // no double can hold the width
  const auto excess = [&](double x) { return excess_below(x, tail); };
  const double at_low = excess(low);
  const double at_high = excess(high);
  if (at_low >= 0.0) return low;  // but for rounding
  if (at_high <= 0.0) return high;
  // The solver keeps its points 2 epsilon apart: asked for that, it would often go on to no end.
  const auto is_close = [&](double a, double b) {
    const double size = std::max({std::abs(a), std::abs(b), smallest_sd});
    return std::abs(b - a) <= 8.0 * std::numeric_limits<double>::epsilon() * size;
  };
  std::uintmax_t steps = max_steps;
  const auto [a, b] =
      boost::math::tools::toms748_solve(excess, low, high, at_low, at_high, is_close, steps);
  return 0.5 * a + 0.5 * b;
}

double GaussianMixture::upper_quantile(double tail) const {
  std::vector<WeightedGaussian> mirrored = members_;
  for (WeightedGaussian& member : mirrored) member.mean = -member.mean;
  return -GaussianMixture(std::move(mirrored)).lower_quantile(tail);
}

}  // namespace covary
