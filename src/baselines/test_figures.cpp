#include "baselines/test_figures.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace covary {
namespace {

double log_normal_density(double y, double mean, double sd) {
  const double z = (y - mean) / sd;
  return -0.5 * (z * z + std::log(2.0 * std::numbers::pi)) - std::log(sd);
}

// Of the Gaussian or the mixture at row i, by the logarithm of a sum of exponentials.
double log_density(const Prediction& prediction, std::size_t i, double y, const Scaling& unit) {
  const auto of = [&](const std::vector<double>& mean, const std::vector<double>& sd) {
    return log_normal_density(y, unit.to_scaled(mean[i]), sd[i] / unit.factor);
  };
  if (prediction.parts.empty()) return of(prediction.mean, prediction.sd);
  std::vector<double> terms;
  for (const Prediction::Part& part : prediction.parts) {
    if (part.weight > 0.0) terms.push_back(std::log(part.weight) + of(part.mean, part.sd));
  }
  const double largest = *std::max_element(terms.begin(), terms.end());
  double sum = 0.0;
  for (const double term : terms) sum += std::exp(term - largest);
  return largest + std::log(sum);
}

}  // namespace

TestFigures test_figures(const Prediction& prediction, const Dataset& holdout) {
  const Scaling& unit = holdout.target_scaling();
  const auto n = static_cast<double>(holdout.num_rows());
  TestFigures figures;
  double square = 0.0;
  for (std::size_t i = 0; i < holdout.num_rows(); ++i) {
    const double y = holdout.target()[i];
    const double error = y - unit.to_scaled(prediction.mean[i]);
    square += error * error;
    figures.nll -= log_density(prediction, i, y, unit) / n;
  }
  figures.rmse = std::sqrt(square / n);
  return figures;
}

std::vector<std::vector<double>> raw_inputs(const Dataset& data) {
  std::vector<std::vector<double>> inputs(data.num_inputs());
  for (std::size_t c = 0; c < data.num_inputs(); ++c) {
    for (const double x : data.input(c)) inputs[c].push_back(data.input_scaling(c).to_raw(x));
  }
  return inputs;
}

}  // namespace covary
