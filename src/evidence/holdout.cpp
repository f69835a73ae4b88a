#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include <covary/holdout.h>

namespace covary {
namespace {

double normal_log_density(double scaled_y, double mean, double sd, const Scaling& unit) {
  const double z = (scaled_y - unit.to_scaled(mean)) / (sd / unit.factor);
  return -0.5 * (z * z + std::log(2.0 * std::numbers::pi)) - std::log(sd);
}

// Of a Gaussian, or of the mixture that an ensemble predicts.
double log_density(const Prediction& prediction, std::size_t i, double scaled_y,
                   const Scaling& unit) {
  if (prediction.parts.empty()) {
    return normal_log_density(scaled_y, prediction.mean[i], prediction.sd[i], unit);
  }
  std::vector<double> terms;
  for (const Prediction::Part& part : prediction.parts) {
    if (!(part.weight > 0.0)) continue;
    terms.push_back(std::log(part.weight) +
                    normal_log_density(scaled_y, part.mean[i], part.sd[i], unit));
  }
  const double largest = *std::max_element(terms.begin(), terms.end());
  double sum = 0.0;
  for (const double term : terms) sum += std::exp(term - largest);
  return largest + std::log(sum);
}

}  // namespace

HoldoutFigures holdout_figures(const Prediction& prediction, const Dataset& holdout) {
  const Scaling& unit = holdout.target_scaling();
  const Prediction::Interval interval = prediction.interval(0.95);
  HoldoutFigures figures;
  figures.rows = holdout.num_rows();
  const auto n = static_cast<double>(figures.rows);
  double square = 0.0;
  for (std::size_t i = 0; i < figures.rows; ++i) {
    // On the standardised scale, where squares of large targets do not overflow.
    const double error = holdout.target()[i] - unit.to_scaled(prediction.mean[i]);
    square += error * error;
    figures.nll -= log_density(prediction, i, holdout.target()[i], unit) / n;
    const double y = unit.to_raw(holdout.target()[i]);
    figures.coverage += (interval.lower[i] <= y && y <= interval.upper[i] ? 1.0 : 0.0) / n;
  }
  figures.rmse_standardised = std::sqrt(square / n);
  figures.rmse = figures.rmse_standardised * unit.factor;
  figures.nll_standardised = figures.nll - std::log(unit.factor);
  return figures;
}

}  // namespace covary
