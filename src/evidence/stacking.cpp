#include "evidence/stacking.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace covary {
namespace {

constexpr double rows_beforehand = 0.5;

// Each row's densities against its largest; a row that no model thinks possible tells nothing, and
// what is no number counts as impossible.
std::vector<std::vector<double>> relative(const std::vector<std::vector<double>>& log_densities) {
  std::vector<std::vector<double>> relative(log_densities.size());
  for (std::size_t row = 0; row < log_densities.front().size(); ++row) {
    double largest = -std::numeric_limits<double>::infinity();
    for (const std::vector<double>& model : log_densities) largest = std::max(largest, model[row]);
    if (!std::isfinite(largest)) continue;
    for (std::size_t k = 0; k < log_densities.size(); ++k) {
      const double log_density = log_densities[k][row];
      relative[k].push_back(std::isnan(log_density) ? 0.0 : std::exp(log_density - largest));
    }
  }
  return relative;
}

}  // namespace

std::vector<double> stacked_weights(const std::vector<std::vector<double>>& log_densities) {
  const std::vector<std::vector<double>> density = relative(log_densities);
  const std::size_t num_models = density.size();
  const std::size_t num_rows = density.front().size();
  const double total =
      static_cast<double>(num_rows) + rows_beforehand * static_cast<double>(num_models);
  std::vector<double> weights(num_models, 1.0 / static_cast<double>(num_models));
  // Expectation and maximisation: uphill at every step, and the top is the only one, since the
  // logarithm of a sum of weights bends down everywhere.
  constexpr int most_steps = 2000;
  constexpr double least_change = 1e-9;
  for (int step = 0; step < most_steps; ++step) {
    std::vector<double> next(num_models, rows_beforehand);
    for (std::size_t row = 0; row < num_rows; ++row) {
      double mixture = 0.0;
      for (std::size_t k = 0; k < num_models; ++k) mixture += weights[k] * density[k][row];
      for (std::size_t k = 0; k < num_models; ++k) {
        next[k] += weights[k] * density[k][row] / mixture;
      }
    }
    double change = 0.0;
    for (std::size_t k = 0; k < num_models; ++k) {
      next[k] /= total;
      change = std::max(change, std::abs(next[k] - weights[k]));
    }
    weights = std::move(next);
    if (change < least_change) break;
  }
  return weights;
}

}  // namespace covary
