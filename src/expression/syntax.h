#pragma once

#include <string_view>

#include <covary/kernels.h>

namespace covary {

// What parser and printer must agree on.

// Binding strength of an infix operator: products before sums.
inline int precedence(const Operator& op) { return op.algebra == Algebra::product ? 2 : 1; }

inline bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z'); }
inline bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Letters, digits, '_' and '.', and all characters beyond ASCII, stand in a name without quotes.
inline bool is_name_byte(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '.' || static_cast<unsigned char>(c) > 127;
}

inline bool is_bare_name(std::string_view name) {
  for (const char c : name) {
    if (!is_name_byte(c)) return false;
  }
  return !name.empty();
}

}  // namespace covary
