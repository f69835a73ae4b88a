#pragma once

#include <cstddef>
#include <span>

namespace covary {

// A path on an even grid whose covariance is the Matérn one of order 3/2 with variance 1,
// (1 + r) e^-r at r = |i - j| * step, where step = √3 * spacing / lengthscale; made of independent
// standard normal numbers, two a place. The process is Markov together with its slope, so this
// costs a few operations a place and needs no matrix. docs/math/functional_kernel.md.
// `derivative`, if it is not empty, becomes that of the path by `step`.
// REQUIRES: white.size() == 2 * path.size(); least_matern_step <= step <= largest_matern_step.
void matern_path(double step, std::span<const double> white, std::span<double> path,
                 std::span<double> derivative = {});

// Beyond these a step's variance is lost to rounding, or the path is white noise.
inline constexpr double least_matern_step = 1e-2;
inline constexpr double largest_matern_step = 20.0;

}  // namespace covary
