#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace covary {

// XXH3 of the bytes: the same on every machine and in every process, so it may be stored.
std::uint64_t hash64(std::string_view bytes);

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
