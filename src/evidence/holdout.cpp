#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <covary/holdout.h>

namespace covary {
namespace {

// log p(y), y being given as its distance from the mean in standard deviations.
double normal_log_density(double z, double sd) {
  return -0.5 * (z * z + std::log(2.0 * std::numbers::pi)) - std::log(sd);
}

// Of the mixture of Gaussians that the transformed target is, at t.
double log_density(const std::vector<Prediction::Part>& parts, std::size_t i, double t) {
  std::vector<double> terms;
  for (const Prediction::Part& part : parts) {
    if (!(part.weight > 0.0)) continue;
    terms.push_back(std::log(part.weight) +
                    normal_log_density((t - part.mean[i]) / part.sd[i], part.sd[i]));
  }
  const double largest = *std::max_element(terms.begin(), terms.end());
  if (!std::isfinite(largest)) return largest;  // too far for the square of a double
  double sum = 0.0;
  for (const double term : terms) sum += std::exp(term - largest);
  return largest + std::log(sum);
}

}  // namespace

double log_density(const Prediction& prediction, std::size_t i, double y) {
  if (prediction.parts.empty()) {
    // Halves, so that two large numbers of opposite signs do not overflow.
    const double z = (0.5 * y - 0.5 * prediction.mean[i]) / (0.5 * prediction.sd[i]);
    return normal_log_density(z, prediction.sd[i]);
  }
  const double t = transformed(prediction.transform, y);
  if (!std::isfinite(t)) return -std::numeric_limits<double>::infinity();  // it cannot be
  return log_density(prediction.parts, i, t) + log_slope(prediction.transform, t);
}

std::vector<double> crps(const Prediction& prediction, const std::vector<double>& y) {
  constexpr std::size_t num_quantiles = 200;
  std::vector<double> sums(y.size(), 0.0);
  for (std::size_t q = 0; q < num_quantiles; ++q) {
    const double probability = (static_cast<double>(q) + 0.5) / num_quantiles;
    const std::vector<double> quantile = prediction.quantile(probability);
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double distance = y[i] - quantile[i];
      const double loss = distance > 0.0 ? probability * distance : (probability - 1.0) * distance;
      sums[i] += loss * (2.0 / num_quantiles);
    }
  }
  return sums;
}

HoldoutFigures holdout_figures(const Prediction& prediction, const Dataset& holdout) {
  const Scaling& unit = holdout.target_scaling();
  const std::vector<double> targets = raw_target(holdout);
  const Prediction::Interval interval = prediction.interval(0.95);
  HoldoutFigures figures;
  figures.rows = holdout.num_rows();
  const auto n = static_cast<double>(figures.rows);
  double square = 0.0;
  for (std::size_t i = 0; i < figures.rows; ++i) {
    const double y = targets[i];
    // On the standardised scale, where squares of large targets do not overflow.
    const double error = (0.5 * y - 0.5 * prediction.mean[i]) / (0.5 * unit.raw_factor());
    square += error * error;
    figures.nll -= log_density(prediction, i, y) / n;
    figures.coverage += (interval.lower[i] <= y && y <= interval.upper[i] ? 1.0 : 0.0) / n;
  }
  figures.rmse_standardised = std::sqrt(square / n);
  figures.rmse = figures.rmse_standardised * unit.raw_factor();
  figures.nll_standardised = figures.nll - std::log(unit.raw_factor());
  return figures;
}

}  // namespace covary
