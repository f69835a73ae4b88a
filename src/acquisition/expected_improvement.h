#pragma once

namespace covary {

// log E[max(f - incumbent - margin, 0)] for f ~ N(mean, sd²): what a kernel promises beyond the
// best one, where most promise next to nothing and the logarithm still tells them apart. Accurate
// to about 1e-13 of itself however far the incumbent is; -inf only if sd is 0 and nothing can be
// gained, or if the standardised distance's square leaves the range of double.
double log_expected_improvement(double mean, double sd, double incumbent, double margin);

}  // namespace covary
