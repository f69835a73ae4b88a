#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <covary/explain.h>
#include <covary/random.h>

#include "explain/component_algebra.h"
#include "explain/shape.h"

namespace covary {

// Statistics of one function on an even grid, and of a sample's quantile plot.
struct CurveStatistics {
  double least_autocorrelation = 0.0;
  double lag = 0.0;  // where it is, in steps of the grid
  double largest_power = 0.0;
  double frequency = 0.0;  // where it is, in cycles over the grid
};

// Whole cycles over a grid: 1 ... size / 2 of them, each `size` long.
struct Waves {
  explicit Waves(std::size_t n);
  std::size_t size;
  std::vector<double> cosine;
  std::vector<double> sine;
};
CurveStatistics curve_statistics(std::span<const double> values, const Waves& waves);

// The chance that a draw from the first is at least one from the second, ties counting half:
// P(expected >= seen) over all pairs. Numbers closer than `tolerance` are tied.
double tail_probability(std::vector<double> expected, const std::vector<double>& seen,
                        double tolerance);

// Draws from a component's prior against draws from its posterior on its grid. Empty for a
// component of several inputs, which has no order, and for one that has no data.
std::vector<ModelCheck> component_checks(const ComponentAlgebra& algebra, std::size_t component,
                                         const ComponentShape& shape, std::size_t num_draws,
                                         Random& random);

// Leave-one-out residuals of the whole model, standardised.
struct Residuals {
  std::vector<double> standardized;  // row by row
  double coverage_50 = 0.0;          // share of rows inside their central interval
  double coverage_95 = 0.0;
  double mean_absolute_error = 0.0;  // on the scaled target
  double r2 = 0.0;                   // 1 less their mean square over the target's variance
};
Residuals leave_one_out(const Posterior& posterior);

// Their statistics against those of data drawn from the model itself, whose residuals are normal
// with the correlations of P = (K + σ²I)^-1: exact, but that the parameters were fitted.
std::vector<ModelCheck> residual_checks(const ComponentAlgebra& algebra, const Residuals& residuals,
                                        std::size_t num_draws, Random& random);

}  // namespace covary
