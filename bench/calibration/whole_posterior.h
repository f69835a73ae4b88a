#pragma once

#include <cstddef>
#include <vector>

#include <covary/random.h>

#include "evidence/log_posterior.h"
#include "linalg/matrix.h"

namespace covary::calibration {

// A Gaussian in the free numbers.
struct Bell {
  std::vector<double> centre;
  Matrix covariance;
};

// Places that stand for all of a posterior, as far as their number allows.
struct WholePosterior {
  std::vector<std::vector<double>> places;  // in free numbers
  std::vector<double> weights;              // add up to 1
  double log_evidence = 0.0;
  double effective_size = 0.0;  // of a plain sample that would be as good

  // Of equal weight: so many of the places, those of more weight more often; rounding may cost one.
  std::vector<std::vector<double>> resampled(std::size_t count, Random& random) const;
};

// By importance sampling: from the prior, so that no hill is missed for being far from the others;
// around the maximum as Laplace's approximation sees it, with wide tails; and twice around what
// those have found. REQUIRES: the convention is the consistent one, and no operator has a price.
WholePosterior whole_posterior(LogPosterior& posterior, const Bell& laplace, std::size_t num_places,
                               Random& random);

}  // namespace covary::calibration
