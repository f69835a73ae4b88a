#pragma once

#include <covary/ensemble.h>

namespace covary {

// Whether the text of a model has no more values than model_from_text() takes.
bool can_be_read_back(const Ensemble& model);

}  // namespace covary
