#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace covary {

// One character of UTF-8 text. An offending byte decodes as itself with is_valid false and size 1.
struct Utf8Character {
  char32_t code = 0;
  std::size_t size = 1;
  bool is_valid = true;
};

// The first character of a text. REQUIRES: text is not empty.
Utf8Character first_utf8_character(std::string_view text);

// Checks a text that comes in pieces, which may be cut anywhere.
class Utf8Checker {
 public:
  enum class Offence { none, nul, invalid };

  // How many bytes are good; fewer than bytes.size() only if offence() then says what the next is.
  std::size_t accept(std::string_view bytes);
  Offence offence() const { return offence_; }
  bool is_complete() const { return num_expected_ == 0; }  // no character is cut at the end

 private:
  bool accept_byte(unsigned char byte);

  int num_expected_ = 0;  // continuation bytes that have to follow
  // The range of the next continuation byte; narrower than 80-BF only after E0, ED, F0 and F4,
  // which would otherwise let overlong forms, surrogates and codes above 10FFFF through.
  unsigned char lowest_ = 0x80;
  unsigned char highest_ = 0xBF;
  Offence offence_ = Offence::none;
};

}  // namespace covary
