#pragma once

#include <cstddef>
#include <span>

#include <covary/random.h>

#include "linalg/matrix.h"

namespace covary {

// Draws from N(mean, covariance), one a column. A covariance that rounding has made too indefinite
// to be factored is taken without its negative eigenvalues. Throws Error if it is not finite.
Matrix sample_gaussian(std::span<const double> mean, const Matrix& covariance,
                       std::size_t num_samples, Random& random);

}  // namespace covary
