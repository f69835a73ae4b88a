#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace covary {

// Where likelihoods are to be computed, as users say it: "auto", "cpu", "cuda" or "cuda:1".
struct DeviceChoice {
  enum class Kind { automatic, cpu, cuda };
  Kind kind = Kind::automatic;
  int index = 0;

  static constexpr DeviceChoice cpu() { return {Kind::cpu, 0}; }
  // Throws Error(usage) for other words.
  static DeviceChoice from(std::string_view text);

  bool operator==(const DeviceChoice&) const = default;
};

std::string to_string(const DeviceChoice& choice);

// What likelihoods of so many rows are computed on: a device's name or `no_device`. Throws Error if
// one is demanded that is not there.
std::string device_used(const DeviceChoice& choice, std::size_t num_rows);
inline constexpr const char* no_device = "CPU";

// A sentence on the device that this machine has, or why none is used.
std::string device_sentence();

}  // namespace covary
