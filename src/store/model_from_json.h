#pragma once

#include <nlohmann/json.hpp>

#include <covary/ensemble.h>
#include <covary/long_work.h>

#include "store/model_text.h"

namespace covary {

// The content of a model's file, back as a model: every value is checked before it is used. Throws
// Error with one sentence.
Ensemble model_from_json(const nlohmann::ordered_json& model, const ReadSupport& read,
                         const LongWork& work);

// What people read of a model's parameters.
nlohmann::ordered_json parameters_to_json(const FittedModel& model);

}  // namespace covary
