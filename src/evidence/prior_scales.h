#pragma once

#include <vector>

#include <covary/dataset.h>
#include <covary/evidence.h>

#include "covariance/parameter_space.h"

namespace covary {

// What the sampling of each input tells the priors; nothing for the paper's.
std::vector<InputScale> prior_scales(const Dataset& data, Priors priors);

}  // namespace covary
