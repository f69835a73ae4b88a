#include "table/rows_fingerprint.h"

#include <bit>
#include <cstdint>
#include <span>

#include "base/hash.h"

namespace covary {
namespace {

bool is_identity(const Scaling& scaling) { return scaling.offset == 0.0 && scaling.factor == 1.0; }

}  // namespace

bool is_scaled(const Dataset& data) {
  for (std::size_t i = 0; i < data.num_inputs(); ++i) {
    if (!is_identity(data.input_scaling(i))) return true;
  }
  return !is_identity(data.target_scaling());
}

std::string rows_fingerprint(const Dataset& data) {
  Fingerprint fingerprint;
  const auto add = [&](std::span<const double> values) {
    // A double of all bits but the last 29 of its fraction, as a float has them, and any size.
    constexpr std::uint64_t half = std::uint64_t{1} << 28U;
    constexpr std::uint64_t kept = ~((std::uint64_t{1} << 29U) - 1);
    for (const double value : values) {
      fingerprint.add((std::bit_cast<std::uint64_t>(value == 0.0 ? 0.0 : value) + half) & kept);
    }
  };
  fingerprint.add(std::uint64_t{data.num_rows()});
  fingerprint.add(std::uint64_t{data.num_inputs()});
  add(data.target());
  for (std::size_t i = 0; i < data.num_inputs(); ++i) add(data.input(i));
  return fingerprint.digits();
}

}  // namespace covary
