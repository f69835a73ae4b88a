#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/utf8.h"

namespace covary {

inline void require(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", claim);
  std::abort();
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast)
  return {reinterpret_cast<const char*>(data), size};
}

// What is told of bad input is one line that any screen can show.
inline void require_sentence(std::string_view text) {
  require(!text.empty(), "a message is not empty");
  while (!text.empty()) {
    const Utf8Character next = first_utf8_character(text);
    require(next.is_valid, "a message is valid UTF-8");
    require(next.code >= 0x20 && next.code != 0x7F, "a message has no control characters");
    text.remove_prefix(next.size);
  }
}

}  // namespace covary
