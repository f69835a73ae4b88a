#pragma once

#include <optional>
#include <string>

namespace covary {

// Bytes that this process may use: those of the machine, or fewer where its control group, or any
// that this one is in, or its address space is limited.
double machine_bytes();

// The least limit of the process's control groups, of version 2 (memory.max) or 1
// (memory.limit_in_bytes); none if nothing limits it. `root` is what /proc and /sys are in: empty
// but in tests.
std::optional<double> control_group_bytes(const std::string& root = "");

}  // namespace covary
