#pragma once

#include <atomic>
#include <memory>

#include <covary/evidence.h>

#include "inference/inference.h"

namespace covary {

// As the public one, by a given way of inference, which must outlive it.
std::unique_ptr<Oracle> make_oracle(const Dataset& data, const EvidenceOptions& options,
                                    const Inference& inference,
                                    const std::atomic<bool>* interrupted,
                                    StepObserver stepping = {});

}  // namespace covary
