#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "linalg/matrix.h"

namespace covary {

// α of the posterior that has not seen the rows `held_out`, as a vector over all rows with zeros at
// those, from the posterior that has:
//   α₋ = α − P[:, H] P[H, H]^-1 α[H],   P = (K + σ²I)^-1 (its lower triangle), α = P y.
std::vector<double> alpha_without(const Matrix& inverse, std::span<const double> alpha,
                                  std::span<const std::size_t> held_out);

}  // namespace covary
