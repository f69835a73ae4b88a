#pragma once

#include <optional>
#include <string_view>

namespace covary {

// A point in time in the proleptic Gregorian calendar.
struct IsoDate {
  bool has_time = false;
  bool has_offset = false;  // the text says Z or +HH:MM
  double value = 0.0;       // days since 1970-01-01, or seconds since then when it has a time
};

// The ISO 8601 forms YYYY-MM, YYYY-MM-DD and YYYY-MM-DD[T or space]HH:MM[:SS[.fraction]][Z or
// ±HH[[:]MM]], for days that exist in the years 0001 to 9999; nothing for any other text.
std::optional<IsoDate> parse_iso_date(std::string_view text);

constexpr double seconds_per_day = 86400.0;

}  // namespace covary
