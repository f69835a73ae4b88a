#pragma once

#include <covary/dataset.h>
#include <covary/model.h>

#include "covariance/compiled_kernel.h"

namespace covary {

// Throws PredictionOverflow for the first point where the prediction is no number, or, of a target
// without transform, not finite. `data` are the rows of the model, `points` scaled as they are.
void check_is_finite(const Prediction& prediction, const Dataset& data, const InputColumns& points);

// The same for any numbers of one point.
[[noreturn]] void throw_overflow(const Dataset& data, const InputColumns& points,
                                 std::size_t point);

}  // namespace covary
