#pragma once

#include <cstddef>
#include <vector>

#include <covary/dataset.h>
#include <covary/model.h>

namespace covary {

// How well rows were predicted that the model has not seen.
struct HoldoutFigures {
  std::size_t rows = 0;
  double rmse = 0.0;
  double nll = 0.0;       // mean negative log predictive density of y, the noise included
  double coverage = 0.0;  // of the central 95 % intervals
  double rmse_standardised = 0.0;
  double nll_standardised = 0.0;
};

// log p(y) at point i of a prediction; minus infinity where y cannot be.
double log_density(const Prediction& prediction, std::size_t i, double y);

// Continuous ranked probability score at each point, in the target's unit: the mean over all
// probabilities of twice the pinball loss of that quantile. 0 is a prediction without error.
std::vector<double> crps(const Prediction& prediction, const std::vector<double>& y);

// `prediction` is of the rows of `holdout`, in their order. REQUIRES: at least one row.
HoldoutFigures holdout_figures(const Prediction& prediction, const Dataset& holdout);

}  // namespace covary
