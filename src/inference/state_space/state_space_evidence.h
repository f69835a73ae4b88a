#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include <covary/expression.h>
#include <covary/long_work.h>

#include "gp/posterior.h"
#include "inference/likelihood.h"
#include "inference/state_space/wave_terms.h"

namespace covary {

// How much it may take: the operations of state_space_operations(), and how much of the log
// evidence, in nats a row, may be left open by waves that are left out; 0: none but for rounding.
struct StateSpaceLimits {
  double operations = 1e300;
  double open_per_row = 1e-8;
};

// A kernel of one ordered input as functions of it whose weights stay as they are, and others whose
// weights move as a Markov process does (docs/math/state_space.md).
struct StateSpaceModel {
  std::vector<WaveTerm> still;  // one term, or none
  std::vector<WaveTerm> moving;
  Stretch stretch;
  std::vector<double> noise;  // of each row, the kernel's white noise included
  double dropped = 0.0;       // of the variance anywhere, at the most

  std::size_t num_still() const;
  std::size_t num_moving() const;
};

// Nothing where the kernel has no such form or it would take more than the limits say. Parameters
// as Likelihood has them.
std::optional<StateSpaceModel> state_space_model(const Expression& kernel,
                                                 std::span<const double> parameters,
                                                 const TrainingRows& rows,
                                                 const StateSpaceLimits& limits);

// Operations on numbers for one pass over the rows, as system_operations() counts them.
double state_space_operations(const StateSpaceModel& model, std::size_t num_rows);

// The log evidence of the rows, exactly but for rounding and what the waves left out would change,
// which is between its ends. Nothing where it cannot be computed. Throws WorkStopped. The same bits
// for any number of threads.
std::optional<Posterior::Interval> state_space_evidence(const StateSpaceModel& model,
                                                        const TrainingRows& rows,
                                                        const LongWork& work);

}  // namespace covary
