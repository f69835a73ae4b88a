#include "forecast/scores.h"

#include <cmath>
#include <numbers>

#include <covary/holdout.h>

namespace covary {
namespace {

constexpr double percent = 100.0;

double below(double z) { return 0.5 * std::erfc(-z / std::numbers::sqrt2); }

// A spread of zero is a step: half of the probability lies below the mean itself.
double below(double y, double mean, double sd) {
  if (sd > 0.0) return below((y - mean) / sd);
  if (y == mean) return 0.5;
  return y > mean ? 1.0 : 0.0;
}

}  // namespace

std::vector<double> probabilities_below(const Prediction& prediction,
                                        const std::vector<double>& y) {
  std::vector<double> probabilities;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (prediction.parts.empty()) {
      probabilities.push_back(below(y[i], prediction.mean[i], prediction.sd[i]));
      continue;
    }
    const double t = transformed(prediction.transform, y[i]);
    double sum = 0.0;
    // Below the transform's domain nothing can be.
    for (const Prediction::Part& part : prediction.parts) {
      if (!std::isnan(t)) sum += part.weight * below(t, part.mean[i], part.sd[i]);
    }
    probabilities.push_back(sum);
  }
  return probabilities;
}

bool is_inside(double level, double probability) {
  return std::abs(probability - 0.5) <= 0.5 * level / percent;
}

ForecastScores scores_of(const Prediction& prediction, const std::vector<double>& y,
                         double mean_change) {
  const std::vector<double> median = prediction.quantile(0.5);
  const std::vector<double> ranked = crps(prediction, y);
  const std::vector<double> probability = probabilities_below(prediction, y);
  ForecastScores scores;
  scores.num_rows = y.size();
  const auto n = static_cast<double>(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    scores.mae += std::abs(y[i] - median[i]) / n;
    scores.crps += ranked[i] / n;
    scores.coverage_80 += (is_inside(80.0, probability[i]) ? 1.0 : 0.0) / n;
    scores.coverage_95 += (is_inside(95.0, probability[i]) ? 1.0 : 0.0) / n;
  }
  scores.mase = scores.mae / mean_change;
  return scores;
}

ForecastScores joined(const std::vector<ForecastScores>& parts) {
  ForecastScores all;
  for (const ForecastScores& part : parts) all.num_rows += part.num_rows;
  for (const ForecastScores& part : parts) {
    const double share = static_cast<double>(part.num_rows) / static_cast<double>(all.num_rows);
    all.mae += share * part.mae;
    all.mase += share * part.mase;
    all.crps += share * part.crps;
    all.coverage_80 += share * part.coverage_80;
    all.coverage_95 += share * part.coverage_95;
  }
  return all;
}

}  // namespace covary
