#pragma once

#include <optional>
#include <string>

namespace covary {

// Bytes that this process may use: those of the machine, or fewer where its control group, or any
// that this one is in, or its address space or its data are limited. What of these the program
// itself takes is left out.
double machine_bytes();

// Of them, those that are not taken now, as far as the system tells.
double bytes_left();

std::string gigabytes(double bytes);  // "0.13 GB"

// The least limit of the process's control groups, of version 2 (memory.max) or 1
// (memory.limit_in_bytes); none if nothing limits it. `root` is what /proc and /sys are in: empty
// but in tests.
std::optional<double> control_group_bytes(const std::string& root = "");

}  // namespace covary
