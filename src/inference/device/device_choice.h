#pragma once

#include <cstddef>
#include <string>

#include <covary/device.h>

#include "inference/device/device_inference.h"

namespace covary {

// The device of that number, opened at the first call; null if there is none that can be used, and
// `why` says so in one sentence. Stays open to the end of the program.
const DeviceInference* device_inference(int index, std::string& why);

// The one that likelihoods of so many rows are computed on; null: this machine's cores. Throws
// Error if one is demanded that is not there.
const DeviceInference* chosen_device(const DeviceChoice& choice, std::size_t num_rows);

}  // namespace covary
