#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <covary/expression.h>

#include "inference/state_space/markov_process.h"

namespace covary {

// variance (x x')^degree cos(frequency (x - x')): what a line, a constant, a harmonic of a cycle
// and products of them are. The sum of two functions of x with weights that are known of nothing,
// of one where the frequency is 0.
struct Wave {
  double variance = 0.0;
  unsigned degree = 0;
  double frequency = 0.0;

  std::size_t num_functions() const { return frequency == 0.0 ? 1 : 2; }
};

// The sum of waves times the product of Markov covariances; without these, the weights are the same
// everywhere.
struct WaveTerm {
  std::vector<MarkovFactor> factors;
  std::vector<Wave> waves;

  std::size_t num_functions() const;
};

// Where a kernel is asked for. That of a smooth function is a sum of waves on no more than that.
struct Stretch {
  double low = 0.0;
  double high = 0.0;
};

// The kernel without its white noise, and a constant function beside it, to rounding of its
// variance; terms without factors are one. Nothing of kernels that have no such form (RQ, change
// points, categories), or of more than so many waves. Parameters as CompiledKernel has
// them.
std::optional<std::vector<WaveTerm>> wave_terms(const Expression& kernel,
                                                std::span<const double> parameters,
                                                double constant_variance, const Stretch& stretch,
                                                std::size_t most_waves);

// At x: their sums of products at x and x' are the waves. `out` has room for all of them.
void wave_functions(std::span<const Wave> waves, double x, double origin, double* out);

// Takes the smallest waves away, as long as the variance anywhere on the stretch becomes less by no
// more than `most`, and says by how much at most it did.
double drop_small_waves(std::vector<WaveTerm>& terms, const Stretch& stretch, double most);

}  // namespace covary
