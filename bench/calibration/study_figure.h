#pragma once

#include <string>
#include <vector>

#include "inference.h"

namespace covary::calibration {

// Ranks of parameters, intervals of unseen rows, probabilities of kernels: what is so against what
// was said, as SVG.
std::string study_figure(const std::vector<Inferred>& draws, const Setting& setting);

}  // namespace covary::calibration
