#pragma once

#include <vector>

#include <covary/model.h>

#include "inference/sparse/sparse_state.h"

namespace covary {

// A model that is not exact, taken apart to be kept, and put together again: its kernel, its
// parameters, the rows of its support as data and what follows from all the others.
SparseState state_of(const FittedModel& model);  // REQUIRES: it is not exact

// Throws Error as the constructor of FittedModel, and if the state is none of these data.
FittedModel restored_model(const Expression& kernel, std::vector<double> parameters,
                           const Dataset& support, MeanFunction mean, const SparseState& state,
                           const LongWork& work = {});

}  // namespace covary
