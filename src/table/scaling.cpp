#include "table/scaling.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include <covary/dataset.h>

namespace covary {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A change of unit takes finite numbers to finite ones: the largest, where rounding or a far
// extrapolation goes beyond it.
double finite_from(double argument, double result) {
  constexpr double largest = std::numeric_limits<double>::max();
  return std::isfinite(argument) ? std::clamp(result, -largest, largest) : result;
}

double normal_or_zero(double factor) {
  return factor < std::numeric_limits<double>::min() ? 0.0 : factor;
}

// Neumaier's sum: its error does not grow with the number of terms.
class CompensatedSum {
 public:
  void add(double term) {
    const double sum = sum_ + term;
    compensation_ += std::fabs(sum_) >= std::fabs(term) ? (sum_ - sum) + term : (term - sum) + sum_;
    sum_ = sum;
  }
  double value() const { return sum_ + compensation_; }

 private:
  double sum_ = 0.0;
  double compensation_ = 0.0;
};

}  // namespace

Scale unit_interval_scale(std::span<const double> values) {
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  return {*lowest, normal_or_zero(*highest - *lowest)};
}

Scale constant_scale(double value) {
  constexpr double smallest = 1e-290;  // whose logarithms and parts are still sound
  const double size = value == 0.0 ? 1.0 : std::abs(value);
  return {value, std::max(size * std::numeric_limits<double>::epsilon(), smallest)};
}

// In units of half the range about the midrange, every number is at most 1: nothing overflows, and
// a large common offset cancels before anything is squared.
Scale standard_scale(std::span<const double> values) {
  const auto [lowest, highest] = std::minmax_element(values.begin(), values.end());
  const double centre = 0.5 * *lowest + 0.5 * *highest;
  const double unit = std::max(*highest - centre, centre - *lowest);
  if (normal_or_zero(unit) == 0.0) return {centre, 0.0};
  if (unit == infinity) return {0.0, infinity};
  const auto count = static_cast<double>(values.size());
  CompensatedSum sum;
  for (const double value : values) sum.add((value - centre) / unit);
  const double mean = sum.value() / count;
  CompensatedSum squares;
  for (const double value : values) {
    const double deviation = (value - centre) / unit - mean;
    squares.add(deviation * deviation);
  }
  const double sd = unit * std::sqrt(squares.value() / count);
  return {centre + unit * mean, normal_or_zero(sd)};
}

bool Scaling::operator==(const Scaling& other) const {
  const auto meaning = [](const Scaling& scaling) {
    return std::tie(scaling.name, scaling.type, scaling.offset, scaling.factor, scaling.transform,
                    scaling.plain_factor, scaling.days_a_unit, scaling.levels);
  };
  return meaning(*this) == meaning(other);
}

double Scaling::to_scaled(double raw) const {
  const double number = transformed(transform, raw);
  const double difference = number - offset;
  if (std::isfinite(difference)) return finite_from(number, difference / factor);
  // Two large numbers of opposite signs: their halves do not overflow.
  return finite_from(number, (0.5 * number - 0.5 * offset) / (0.5 * factor));
}

double Scaling::to_transformed(double scaled) const {
  const double shift = scaled * factor;
  if (std::isfinite(shift)) return finite_from(scaled, offset + shift);
  return finite_from(scaled, 2.0 * (0.5 * offset + scaled * (0.5 * factor)));
}

double Scaling::to_raw(double scaled) const {
  return untransformed(transform, to_transformed(scaled));
}

double Scaling::log_jacobian(double scaled) const {
  if (transform == TargetTransform::none) return 0.0;
  return log_slope(transform, to_transformed(scaled)) + std::log(plain_factor / factor);
}

std::string Scaling::value_text(double raw, int digits) const {
  if (!is_category()) return format_value(type, raw, digits);
  const bool is_known = raw >= 0.0 && raw < static_cast<double>(levels.size());
  return is_known ? levels[static_cast<std::size_t>(raw)] : "another level";
}

Moments Scaling::raw_moments(double mean, double sd) const {
  return untransformed_moments(transform, to_transformed(mean), sd * factor);
}

}  // namespace covary
