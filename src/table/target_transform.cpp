#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include <covary/target_transform.h>

namespace covary {
namespace {

constexpr double largest = std::numeric_limits<double>::max();

// The exponential, no further than doubles go.
double finite_exp(double x) { return std::min(std::exp(x), largest); }

double normal_below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

// exp(x) Φ(z), whose factors may be out of range where the product is not.
double exp_times_normal_below(double x, double z) {
  const double below = normal_below(z);
  return below > 0.0 ? finite_exp(x + std::log(below)) : 0.0;
}

double sd_from(double mean, double mean_square) {
  const double variance = mean_square - mean * mean;
  return std::isfinite(variance) ? std::sqrt(std::max(variance, 0.0)) : largest;
}

// ---- none: y ----

double identity(double y) { return y; }
double no_slope(double /*t*/) { return 0.0; }
Moments gaussian_moments(double mean, double sd) { return {mean, sd}; }
bool is_any(double /*y*/) { return true; }

// ---- log: log y ----

double log_of(double y) { return std::log(y); }
double exp_of(double t) { return finite_exp(t); }
double log_slope_of_log(double t) { return -t; }
Moments lognormal_moments(double mean, double sd) {
  const double middle = finite_exp(mean + 0.5 * sd * sd);
  return {middle, std::min(middle * std::sqrt(std::expm1(std::min(sd * sd, 700.0))), largest)};
}
bool is_positive(double y) { return y > 0.0; }

// ---- log1p: log(1 + y); what would be below zero is zero ----

double log1p_of(double y) { return std::log1p(y); }
double expm1_of(double t) { return std::clamp(std::expm1(t), 0.0, largest); }
// E[(e^t - 1)^k; t > 0], as the price of an option.
Moments censored_lognormal_moments(double mean, double sd) {
  if (!(sd > 0.0)) return {expm1_of(mean), 0.0};
  const double z = mean / sd;
  const double above = normal_below(z);
  const double first = exp_times_normal_below(mean + 0.5 * sd * sd, z + sd);
  const double second = exp_times_normal_below(2.0 * mean + 2.0 * sd * sd, z + 2.0 * sd);
  const double middle = std::max(first - above, 0.0);
  return {middle, sd_from(middle, second - 2.0 * first + above)};
}
bool is_not_negative(double y) { return y >= 0.0; }

// ---- logit: log(y / (1 - y)) ----

double logit_of(double y) { return std::log(y) - std::log1p(-y); }
double logistic(double t) {
  return t < 0.0 ? std::exp(t) / (1.0 + std::exp(t)) : 1.0 / (1.0 + std::exp(-t));
}
double log_slope_of_logit(double t) {  // -log(y (1 - y))
  return std::abs(t) + 2.0 * std::log1p(std::exp(-std::abs(t)));
}
// No closed form; the trapezoid rule converges faster than any power for a function that is
// analytic and gone at both ends.
Moments logit_normal_moments(double mean, double sd) {
  constexpr int num_steps = 400;
  constexpr double reach = 9.0;
  double weight = 0.0;
  double first = 0.0;
  double second = 0.0;
  const double middle = logistic(mean);  // differences from it, for the sake of small spreads
  for (int i = -num_steps; i <= num_steps; ++i) {
    const double z = reach * i / num_steps;
    const double density = std::exp(-0.5 * z * z);
    const double difference = logistic(mean + sd * z) - middle;
    weight += density;
    first += density * difference;
    second += density * difference * difference;
  }
  first /= weight;
  return {middle + first, sd_from(first, second / weight)};
}
bool is_share(double y) { return y > 0.0 && y < 1.0; }

struct Rule {
  TargetTransform transform;
  std::string_view word;
  std::string_view shown;   // with {} for the target's name
  std::string_view domain;  // what it needs
  double (*to)(double y);
  double (*from)(double t);
  double (*log_slope)(double t);
  Moments (*moments)(double mean, double sd);
  bool (*has_place)(double y);
};

constexpr Rule rules[] = {
    {TargetTransform::none, "none", "{}", "numbers", identity, identity, no_slope, gaussian_moments,
     is_any},
    {TargetTransform::log, "log", "log({})", "positive values", log_of, exp_of, log_slope_of_log,
     lognormal_moments, is_positive},
    {TargetTransform::log1p, "log1p", "log(1 + {})", "values that are not negative", log1p_of,
     expm1_of, log_slope_of_log, censored_lognormal_moments, is_not_negative},
    {TargetTransform::logit, "logit", "logit({})", "values between 0 and 1", logit_of, logistic,
     log_slope_of_logit, logit_normal_moments, is_share},
};

const Rule& rule_of(TargetTransform transform) {
  return rules[static_cast<std::size_t>(transform)];  // in the order of the enumeration
}

bool are_whole(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(),
                     [](double value) { return value == std::floor(value); });
}

}  // namespace

std::string_view to_string(TargetTransform transform) { return rule_of(transform).word; }

std::optional<TargetTransform> target_transform_from(std::string_view word) {
  for (const Rule& rule : rules) {
    if (rule.word == word) return rule.transform;
  }
  return std::nullopt;
}

std::vector<TargetTransform> all_target_transforms() {
  std::vector<TargetTransform> all;
  for (const Rule& rule : rules) all.push_back(rule.transform);
  return all;
}

std::string transformed_name(TargetTransform transform, std::string_view name) {
  return fmt::format(fmt::runtime(rule_of(transform).shown), name);
}

double transformed(TargetTransform transform, double y) { return rule_of(transform).to(y); }
double untransformed(TargetTransform transform, double t) { return rule_of(transform).from(t); }
double log_slope(TargetTransform transform, double t) { return rule_of(transform).log_slope(t); }
Moments untransformed_moments(TargetTransform transform, double mean, double sd) {
  return rule_of(transform).moments(mean, sd);
}

std::string_view domain_of(TargetTransform transform) { return rule_of(transform).domain; }

bool is_suitable(TargetTransform transform, std::span<const double> targets) {
  return std::all_of(targets.begin(), targets.end(), rule_of(transform).has_place);
}

// A logarithm is nearly a line where the largest value is little more than the smallest.
std::vector<TargetTransform> suitable_transforms(std::span<const double> targets) {
  constexpr double least_ratio = 1.2;
  std::vector<TargetTransform> suitable = {TargetTransform::none};
  const auto [low, high] = std::minmax_element(targets.begin(), targets.end());
  if (is_suitable(TargetTransform::logit, targets)) suitable.push_back(TargetTransform::logit);
  if (is_suitable(TargetTransform::log, targets)) {
    if (*high > least_ratio * *low) suitable.push_back(TargetTransform::log);
  } else if (is_suitable(TargetTransform::log1p, targets) && are_whole(targets)) {
    suitable.push_back(TargetTransform::log1p);
  }
  return suitable;
}

}  // namespace covary
