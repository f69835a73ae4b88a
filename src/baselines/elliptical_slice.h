#pragma once

#include <functional>
#include <span>

#include <covary/random.h>

namespace covary {

using LogLikelihood = std::function<double(std::span<const double>)>;

// One step of elliptical slice sampling (Murray, Adams, MacKay, 2010): replaces `state` by a draw
// that leaves the posterior of a standard normal prior and this likelihood invariant, and returns
// the log likelihood there. Minus infinity marks places that do not count. `log_likelihood` is that
// of `state`, and finite. The state stays where it is if the slice shrinks to nothing around it.
double elliptical_slice_step(std::span<double> state, double log_likelihood,
                             const LogLikelihood& log_likelihood_of, Random& random);

}  // namespace covary
