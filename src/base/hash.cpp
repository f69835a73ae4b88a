#include "base/hash.h"

#include <bit>
#include <new>

#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace covary {
namespace {

XXH3_state_t* as_state(void* state) { return static_cast<XXH3_state_t*>(state); }

}  // namespace

std::uint64_t hash64(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

Fingerprint::Fingerprint() : state_(XXH3_createState()) {
  if (state_ == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(as_state(state_));
}

Fingerprint::~Fingerprint() { XXH3_freeState(as_state(state_)); }

void Fingerprint::add(std::string_view text) {
  add(std::uint64_t{text.size()});
  XXH3_128bits_update(as_state(state_), text.data(), text.size());
}

void Fingerprint::add(std::uint64_t number) {
  // Little-endian on every machine.
  unsigned char bytes[8];
  for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<unsigned char>(number >> (8 * i));
  XXH3_128bits_update(as_state(state_), bytes, sizeof bytes);
}

void Fingerprint::add(double number) {
  add(std::bit_cast<std::uint64_t>(number == 0.0 ? 0.0 : number));
}

std::string Fingerprint::digits() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(as_state(state_));
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace covary
