#pragma once

#include <vector>

namespace covary {

// Weights of a mixture that predicts well: those of the largest sum of log Σ_k w_k p_k(row), where
// log_densities[k][row] is what model k says of a row that it has not seen (leave-one-out, say).
// Each model counts beforehand as much as half a row that it alone would explain, so that none has
// a weight of zero and few rows do not decide everything; docs/math/averaging.md.
// REQUIRES: at least one model, and as many rows of each; no density is infinite.
std::vector<double> stacked_weights(const std::vector<std::vector<double>>& log_densities);

}  // namespace covary
