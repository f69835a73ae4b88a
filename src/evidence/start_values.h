#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <covary/expression.h>
#include <covary/random.h>

#include "covariance/compiled_kernel.h"
#include "covariance/parameter_space.h"

namespace covary {

// What the data say about sensible parameter values, before any model is fitted.
struct DataHints {
  struct Input {
    double smallest_spacing = 0.0;  // between different values, on the scaled input
    double range = 1.0;
    double lowest = 0.0;
    std::vector<double> periods;  // strongest first, from the periodogram
    std::vector<double> breaks;   // likewise, from a scan for them
  };
  std::vector<Input> inputs;
  double target_variance = 1.0;
};

// Of categories nothing is asked: their values have neither distances nor an order.
DataHints data_hints(const InputColumns& inputs, std::span<const double> target,
                     const InputNames& names);

// A start drawn from the priors.
std::vector<double> start_from_priors(const ParameterSpace& space, Random& random);

// A start that mixes draws from the priors with draws from what the data suggest.
std::vector<double> start_from_hints(const ParameterSpace& space, const DataHints& hints,
                                     Random& random);

// The parameters of a place that have many hills: periods and places of change. Walks lead to the
// nearest hill, so that a start has to be near the right one of all of them at once.
std::vector<std::size_t> many_hilled_parameters(const ParameterSpace& space);

// A place with such a parameter on another hill, as far as a few draws find one, and with or
// without the other parameters of the same base kernel or operator drawn anew; the rest is kept.
std::vector<double> with_part_redrawn(std::vector<double> place, std::size_t parameter,
                                      const ParameterSpace& space, const DataHints& hints,
                                      Random& random);

// A place with less noise and one term of the kernel's topmost sum on shorter lengths, now and then
// with what was noise as its variance: what one place has as noise, the other has as a part that
// changes quickly. Both are hills, and rows that are few or far from each other show the first one
// alone. The same place if no term has lengths.
std::vector<double> with_term_shortened(std::vector<double> place, const Expression& kernel,
                                        const ParameterSpace& space, Random& random);

// As the reference implementation does: 1 for kernel parameters, 0.01² for the noise variance, each
// free value times an independent U(0.5, 1.5) unless it is the first start.
std::vector<double> start_as_reference(const ParameterSpace& space, bool is_first, Random& random);

}  // namespace covary
