#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <boost/math/distributions/students_t.hpp>

namespace covary::paper {
namespace {

double two_sided(double t, double degrees) {
  const boost::math::students_t distribution(degrees);
  return 2.0 * boost::math::cdf(boost::math::complement(distribution, std::abs(t)));
}

double squared_error_of_mean(const std::vector<double>& values) {
  const double sd = sample_sd(values);
  return sd * sd / static_cast<double>(values.size());
}

}  // namespace

double quantile(std::vector<double> values, double p) {
  std::sort(values.begin(), values.end());
  const double place = p * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (place - static_cast<double>(low)) * (values[high] - values[low]);
}

double median(const std::vector<double>& values) { return quantile(values, 0.5); }

double mean_of(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double sample_sd(const std::vector<double>& values) {
  if (values.size() < 2) return 0.0;
  const double mean = mean_of(values);
  double square = 0.0;
  for (const double value : values) square += (value - mean) * (value - mean);
  return std::sqrt(square / static_cast<double>(values.size() - 1));
}

double t_test(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 2 || b.size() < 2) return 1.0;
  const double va = squared_error_of_mean(a);
  const double vb = squared_error_of_mean(b);
  const double difference = mean_of(a) - mean_of(b);
  if (va + vb == 0.0) return difference == 0.0 ? 1.0 : 0.0;
  const double degrees =
      (va + vb) * (va + vb) /
      (va * va / static_cast<double>(a.size() - 1) + vb * vb / static_cast<double>(b.size() - 1));
  return two_sided(difference / std::sqrt(va + vb), degrees);
}

double t_test(const std::vector<double>& a, double number) {
  if (a.size() < 2) return 1.0;
  const double variance = squared_error_of_mean(a);
  const double difference = mean_of(a) - number;
  if (variance == 0.0) return difference == 0.0 ? 1.0 : 0.0;
  return two_sided(difference / std::sqrt(variance), static_cast<double>(a.size() - 1));
}

}  // namespace covary::paper
