#include "base/utf8.h"

#include <cstring>

namespace covary {
namespace {

// Eight bytes that are all ASCII and none of them NUL, which is nearly all of a table of numbers.
bool is_plain_ascii(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  const std::uint64_t has_zero = (word - 0x0101010101010101U) & ~word;
  return ((word | has_zero) & 0x8080808080808080U) == 0;
}

}  // namespace

std::size_t Utf8Checker::accept(std::string_view bytes) {
  std::size_t i = 0;
  while (i < bytes.size()) {
    if (num_expected_ == 0) {
      while (i + 8 <= bytes.size() && is_plain_ascii(bytes.data() + i)) i += 8;
      if (i == bytes.size()) break;
    }
    if (!accept_byte(static_cast<unsigned char>(bytes[i]))) return i;
    ++i;
  }
  return i;
}

bool Utf8Checker::accept_byte(unsigned char byte) {
  if (num_expected_ > 0) {
    if (byte < lowest_ || byte > highest_) {
      offence_ = Offence::invalid;
      return false;
    }
    lowest_ = 0x80;
    highest_ = 0xBF;
    --num_expected_;
    return true;
  }
  if (byte == 0) {
    offence_ = Offence::nul;
    return false;
  }
  if (byte < 0x80) return true;
  if (byte < 0xC2 || byte > 0xF4) {
    offence_ = Offence::invalid;
    return false;
  }
  num_expected_ = byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3;
  if (byte == 0xE0) lowest_ = 0xA0;
  if (byte == 0xED) highest_ = 0x9F;
  if (byte == 0xF0) lowest_ = 0x90;
  if (byte == 0xF4) highest_ = 0x8F;
  return true;
}

Utf8Character first_utf8_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() < size) return {lead, 1, false};
  Utf8Checker checker;
  if (checker.accept(text.substr(0, size)) != size || !checker.is_complete()) {
    return {lead, 1, false};
  }
  char32_t code = lead & (0x7FU >> size);
  for (std::size_t i = 1; i < size; ++i) code = (code << 6U) | (byte(i) & 0x3FU);
  return {code, size, true};
}

}  // namespace covary
