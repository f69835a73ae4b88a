#pragma once

#include <vector>

#include <covary/dataset.h>
#include <covary/evidence.h>
#include <covary/expression.h>

namespace covary {

// Parameters that stand for a share of all that the data allow.
struct PosteriorPoint {
  std::vector<double> parameters;  // natural values, the noise variance last
  double weight = 1.0;             // all of them add up to 1
};

// The most of them for a kernel of so many parameters.
std::size_t num_posterior_points(const Dataset& data, std::size_t num_parameters);

// A few places of the posterior of a kernel's parameters whose weighted average stands for the
// whole of it in predictions; docs/math/averaging.md has the design. The first is the maximum, and
// none has more weight. It alone is given where the posterior has no curvature there. Along time
// with a calendar the others also differ in the size of everything, by more than the rows show.
// REQUIRES: `parameters` are those of a maximum of the log posterior that `options` describe.
std::vector<PosteriorPoint> posterior_points(const Dataset& data, const Expression& kernel,
                                             const std::vector<double>& parameters,
                                             const EvidenceOptions& options);

// The same model with everything, noise included, `factor` times as large: predictions have the
// same mean and so many times the standard deviation.
std::vector<double> resized(const Expression& kernel, std::vector<double> parameters,
                            double factor);

}  // namespace covary
