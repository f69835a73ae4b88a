#pragma once

#include <vector>

#include <covary/evidence.h>

namespace covary {

// Parameters for `kernel` (the noise variance last) taken from a similar kernel: nodes of the two
// trees are paired so that as many equal base kernels as possible meet. What has no counterpart is
// NaN. Empty if nothing meets.
std::vector<double> transferred_parameters(const Expression& kernel, const WarmStart& from);

}  // namespace covary
