#pragma once

#include <cstddef>

#include <covary/dataset.h>
#include <covary/ensemble.h>

namespace covary {

// How well a model predicts rows that it has not seen.
struct HoldoutFigures {
  std::size_t rows = 0;
  double rmse = 0.0;
  double nll = 0.0;       // mean negative log predictive density
  double coverage = 0.0;  // of the central 95 % intervals
  double rmse_standardised = 0.0;
  double nll_standardised = 0.0;
};

HoldoutFigures holdout_figures(const Ensemble& model, const Dataset& holdout);

}  // namespace covary
