#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace covary {

// XXH3 of the bytes: the same on every machine and in every process, so it may be stored.
std::uint64_t hash64(std::string_view bytes);

// The finaliser of splitmix64: every bit of the input reaches every bit of the output.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

// One hash of two, which depends on their order.
constexpr std::uint64_t combine64(std::uint64_t first, std::uint64_t second) {
  return mix64(mix64(first) + second + 0x9e3779b97f4a7c15U);
}

// A running 128-bit XXH3 of everything added, as 32 hexadecimal digits.
class Fingerprint {
 public:
  Fingerprint();
  ~Fingerprint();
  Fingerprint(const Fingerprint&) = delete;
  Fingerprint& operator=(const Fingerprint&) = delete;
  Fingerprint(Fingerprint&&) = delete;
  Fingerprint& operator=(Fingerprint&&) = delete;

  void add(std::string_view text);  // with its length, so that "a","bc" differs from "ab","c"
  void add(std::uint64_t number);
  void add(double number);  // 0.0 and -0.0 count as the same number
  std::string digits() const;

 private:
  void* state_;
};

}  // namespace covary
