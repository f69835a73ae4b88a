#include "covariance/parameter_space.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <boost/math/special_functions/erf.hpp>
#include <boost/math/special_functions/gamma.hpp>

namespace covary {
namespace {

double softplus(double u) {
  return u > 0.0 ? u + std::log1p(std::exp(-u)) : std::log1p(std::exp(u));
}

// u with softplus(u) = value, accurate for small and large values.
double inverse_softplus(double value) {
  return value > 1.0 ? value + std::log(-std::expm1(-value)) : std::log(std::expm1(value));
}

double sigmoid(double u) {
  return u >= 0.0 ? 1.0 / (1.0 + std::exp(-u)) : std::exp(u) / (1.0 + std::exp(u));
}

void collect(const Expression& expression, std::size_t& node,
             std::vector<ParameterSpace::Entry>& entries) {
  const std::size_t own = node++;
  const bool is_leaf = expression.is_leaf();
  const auto parameters =
      is_leaf ? expression.base_kernel().kernel->parameters : expression.op().op->parameters;
  for (const Parameter& parameter : parameters) {
    entries.push_back({own, is_leaf ? expression.base_kernel().column : expression.op().column,
                       is_leaf,
                       is_leaf ? expression.base_kernel().kernel->name : expression.op().op->name,
                       parameter, 0.0});
  }
  if (is_leaf) return;
  collect(expression.left(), node, entries);
  collect(expression.right(), node, entries);
}

// A third of the target's variance at the mean. The paper's, with a hundredth, all but rules out
// the noise that many data have, and lets structure explain it at a gain of many nats.
constexpr Prior informed_noise = Prior::exponential(3.0);

// Of series of months or longer steps, where lengths are years and sizes standard deviations of
// the target, so that people know what is usual. Medians by Corani, Benavoli and Zaffalon (2021),
// who fitted them to other series; all of them with a standard deviation of 1 on the logarithmic
// scale.
constexpr double usual_spread = 1.0;
const double usual_length = std::exp(1.1);  // years: three
const double usual_variance = std::exp(-1.5);
const double usual_shape = std::exp(0.2);  // of what repeats, against its period

Prior prior_in_years(const Parameter& parameter, double year) {
  if (parameter.prior.family == Prior::Family::exponential) return parameter.prior;  // noise
  switch (parameter.quantity) {
    case Quantity::input_length:
      return Prior::log_normal(usual_length * year, usual_spread);
    case Quantity::target_variance:
      return Prior::log_normal(usual_variance, usual_spread);
    case Quantity::slope_variance:
      return Prior::log_normal(usual_variance / (year * year), usual_spread);
    case Quantity::variance_rate:
      return Prior::log_normal(usual_variance / year, usual_spread);
    case Quantity::shape:
      if (parameter.name == "lengthscale") return Prior::log_normal(usual_shape, usual_spread);
      break;
    case Quantity::input_location:
      break;
  }
  return parameter.prior;
}

// Of an only input without such a calendar, in ranges of it: a line or a walk whose variance over
// the rows is that usual part of the target's. The paper's Gamma(2, 3) is for parts that stay
// within a unit; a plain line climbs 3.5 standard deviations over the range, and would be told as
// a line and something smooth.
const double usual_slope = 12.0 * usual_variance;
const double usual_walk = 6.0 * usual_variance;

Prior prior_in_ranges(const Parameter& parameter) {
  if (parameter.quantity == Quantity::slope_variance) {
    return Prior::log_normal(usual_slope, usual_spread);
  }
  if (parameter.quantity == Quantity::variance_rate) {
    return Prior::log_normal(usual_walk, usual_spread);
  }
  return parameter.prior;
}

Prior informed_prior(const ParameterSpace::Entry& entry, std::span<const InputScale> scales) {
  const InputScale& scale = scales[entry.column];
  if (is_period(entry.parameter)) {
    return Prior::log_uniform(scale.shortest_period, scale.longest_period);
  }
  if (!entry.is_of_base_kernel) return entry.parameter.prior;
  if (scale.year > 0.0) return prior_in_years(entry.parameter, scale.year);
  return scales.size() == 1 ? prior_in_ranges(entry.parameter) : entry.parameter.prior;
}

double price_of(const Expression& expression) {
  if (expression.is_leaf()) return 0.0;
  return expression.op().op->price + price_of(expression.left()) + price_of(expression.right());
}

bool is_bounded(const ParameterSpace::Entry& entry) {
  return entry.parameter.prior.family == Prior::Family::log_uniform;
}

// The logarithm of how many times the upper bound is the lower one.
double log_width(const Prior& prior) { return std::log(prior.second / prior.first); }

}  // namespace

bool is_period(const Parameter& parameter) {
  return parameter.quantity == Quantity::input_length && parameter.name == "period";
}

LogDensity log_density(const Prior& prior, double value) {
  switch (prior.family) {
    case Prior::Family::gamma: {
      // Boost's lgamma: the C library's writes its sign to a global, which threads share.
      const double shape = prior.first;
      const double rate = prior.second;
      return {shape * std::log(rate) - boost::math::lgamma(shape) +
                  (shape - 1.0) * std::log(value) - rate * value,
              (shape - 1.0) / value - rate, -(shape - 1.0) / (value * value)};
    }
    case Prior::Family::exponential:
      return {std::log(prior.first) - prior.first * value, -prior.first, 0.0};
    case Prior::Family::normal: {
      const double z = (value - prior.first) / prior.second;
      return {-0.5 * z * z - std::log(prior.second) - 0.5 * std::log(2.0 * std::numbers::pi),
              -z / prior.second, -1.0 / (prior.second * prior.second)};
    }
    case Prior::Family::log_normal: {
      const double z = std::log(value / prior.first) / prior.second;
      const double slope = -(1.0 + z / prior.second) / value;
      return {
          -0.5 * z * z - std::log(prior.second * value) - 0.5 * std::log(2.0 * std::numbers::pi),
          slope, -(slope + 1.0 / (prior.second * prior.second * value)) / value};
    }
    case Prior::Family::log_uniform:
      return {-std::log(value * log_width(prior)), -1.0 / value, 1.0 / (value * value)};
  }
  return {};
}

double quantile(const Prior& prior, double probability) {
  switch (prior.family) {
    case Prior::Family::gamma:
      return boost::math::gamma_p_inv(prior.first, probability) / prior.second;
    case Prior::Family::exponential:
      return -std::log1p(-probability) / prior.first;
    case Prior::Family::normal:
      return prior.first -
             prior.second * std::numbers::sqrt2 * boost::math::erfc_inv(2.0 * probability);
    case Prior::Family::log_normal:
      return prior.first * std::exp(-prior.second * std::numbers::sqrt2 *
                                    boost::math::erfc_inv(2.0 * probability));
    case Prior::Family::log_uniform:
      return prior.first * std::exp(probability * log_width(prior));
  }
  return 0.0;
}

ParameterSpace::ParameterSpace(const Expression& expression, std::span<const InputScale> scales) {
  std::size_t node = 0;
  collect(expression, node, entries_);
  if (!scales.empty()) {
    price_ = price_of(expression);
    for (Entry& entry : entries_) {
      entry.parameter.prior = informed_prior(entry, scales);
    }
  }
  entries_.push_back({node, 0, false, "noise", noise_parameter, least_noise_variance});
  if (!scales.empty()) entries_.back().parameter.prior = informed_noise;
}

double ParameterSpace::natural(std::size_t i, double free) const {
  const Entry& entry = entries_[i];
  const Prior& prior = entry.parameter.prior;
  if (!prior.is_positive()) return free;
  if (is_bounded(entry)) return prior.first * std::exp(sigmoid(free) * log_width(prior));
  // Never exactly zero: a lengthscale of zero would divide by zero.
  return entry.lower_bound + std::max(softplus(free), std::numeric_limits<double>::min());
}

double ParameterSpace::free(std::size_t i, double natural) const {
  const Entry& entry = entries_[i];
  const Prior& prior = entry.parameter.prior;
  if (!prior.is_positive()) return natural;
  if (is_bounded(entry)) {
    constexpr double closest = 1e-3;  // to a bound, as part of the way: beyond it slopes vanish
    const double way = std::log(natural / prior.first) / log_width(prior);
    const double inside = std::clamp(way, closest, 1.0 - closest);
    return std::log(inside / (1.0 - inside));
  }
  constexpr double smallest = 1e-12;
  return inverse_softplus(std::max(natural - entry.lower_bound, smallest));
}

std::vector<double> ParameterSpace::natural(std::span<const double> free) const {
  std::vector<double> values(size());
  for (std::size_t i = 0; i < size(); ++i) values[i] = natural(i, free[i]);
  return values;
}

std::vector<double> ParameterSpace::free(std::span<const double> natural) const {
  std::vector<double> values(size());
  for (std::size_t i = 0; i < size(); ++i) values[i] = free(i, natural[i]);
  return values;
}

double ParameterSpace::slope(std::size_t i, double free) const {
  const Entry& entry = entries_[i];
  if (!entry.parameter.prior.is_positive()) return 1.0;
  const double s = sigmoid(free);
  if (!is_bounded(entry)) return s;
  return natural(i, free) * log_width(entry.parameter.prior) * s * (1.0 - s);
}

LogDensity ParameterSpace::log_slope(std::size_t i, double free) const {
  const Entry& entry = entries_[i];
  if (!entry.parameter.prior.is_positive()) return {0.0, 0.0, 0.0};
  const double s = sigmoid(free);
  if (is_bounded(entry)) {
    const double width = log_width(entry.parameter.prior);
    const double bend = s * (1.0 - s);
    return {std::log(natural(i, free) * width) - softplus(free) - softplus(-free),
            width * bend + 1.0 - 2.0 * s, bend * (width * (1.0 - 2.0 * s) - 2.0)};
  }
  return {-softplus(-free), 1.0 - s, -s * (1.0 - s)};
}

double ParameterSpace::log_prior(std::span<const double> natural) const {
  double sum = -price_;
  for (std::size_t i = 0; i < size(); ++i) {
    // The noise prior is that of the whole variance, bound included.
    sum += log_density(entries_[i].parameter.prior, natural[i]).value;
  }
  return sum;
}

}  // namespace covary
