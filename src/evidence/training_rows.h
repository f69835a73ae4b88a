#pragma once

#include <covary/dataset.h>
#include <covary/evidence.h>

#include "inference/likelihood.h"

namespace covary {

// Views of the data's numbers, as inference takes them.
TrainingRows training_rows(const Dataset& data, MeanFunction mean);

}  // namespace covary
