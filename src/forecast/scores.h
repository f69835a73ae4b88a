#pragma once

#include <cstddef>
#include <vector>

#include <covary/forecast.h>

namespace covary {

// The probability that a prediction gives to values below y, at each point.
std::vector<double> probabilities_below(const Prediction& prediction, const std::vector<double>& y);

// Of what came; `mean_change` is what MASE divides by.
ForecastScores scores_of(const Prediction& prediction, const std::vector<double>& y,
                         double mean_change);

// Whether a central interval of that level holds it; `probability` as probabilities_below().
bool is_inside(double level, double probability);

// Means over all rows of both.
ForecastScores joined(const std::vector<ForecastScores>& parts);

}  // namespace covary
