#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include <covary/random.h>

#include "explain/component_algebra.h"

namespace covary {

// How much each component is worth, on the scaled target.
struct ComponentFigures {
  // The components from the one that lowers the cross-validated error most to the last.
  std::vector<std::size_t> order;
  double offset_error = 0.0;  // mean absolute error of the offset alone

  // Per place in that order, with all components up to it.
  std::vector<double> error;        // mean absolute error, cross-validated, parameters held
  std::vector<double> cumulative;   // share of the target's variance, of the posterior means
  std::vector<double> added;        // cumulative less the one before
  std::vector<double> of_residual;  // share of what was left before it

  // Per component: the log marginal likelihood that goes without it, the other components and all
  // parameters held; empty where the rest cannot be factored.
  std::vector<std::optional<double>> evidence_lost;
};

ComponentFigures component_figures(const ComponentAlgebra& algebra, std::size_t num_folds,
                                   Random& random);

// Rows in folds: contiguous blocks along a single input, so that the error is that of gaps and of
// forecasts; random for several.
std::vector<std::vector<std::size_t>> folds_of(const Dataset& data, std::size_t num_folds,
                                               Random& random);

}  // namespace covary
