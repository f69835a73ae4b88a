#include "acquisition/expected_improvement.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace covary {
namespace {

// log(φ(z) + z Φ(z))
double log_standard_improvement(double z) {
  const double log_density = -0.5 * z * z - 0.5 * std::log(2.0 * std::numbers::pi);
  if (z > -3.0) {
    const double probability = 0.5 * std::erfc(-z / std::numbers::sqrt2);
    return std::log(std::exp(log_density) + z * probability);
  }
  // With x = -z, Φ(z) / φ(z) = 1/(x + t) and t = 1/(x + 2/(x + 3/(x + ...))), so that the sum is
  // φ(z) t / (x + t): nothing cancels. 40 terms are exact to the last digit from x = 3 on.
  const double x = -z;
  double t = 0.0;
  for (int k = 40; k > 0; --k) t = k / (x + t);
  return log_density + std::log(t / (x + t));
}

}  // namespace

double log_expected_improvement(double mean, double sd, double incumbent, double margin) {
  const double gain = mean - incumbent - margin;
  if (!(sd > 0.0)) {
    return gain > 0.0 ? std::log(gain) : -std::numeric_limits<double>::infinity();
  }
  return std::log(sd) + log_standard_improvement(gain / sd);
}

}  // namespace covary
