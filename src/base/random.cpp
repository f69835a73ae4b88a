#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include <covary/random.h>

namespace covary {

std::uint64_t Random::index(std::uint64_t size) {
  // Reject the last, incomplete run of `size` values, so that the remainder is uniform.
  const std::uint64_t remainder = (0 - size) % size;  // 2^64 mod size
  std::uint64_t draw = engine_();
  while (draw > std::uint64_t(0) - 1 - remainder) draw = engine_();
  return draw % size;
}

double Random::uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

double Random::normal() {
  // Box and Muller; the second draw of the pair is left, so that there is no hidden state.
  const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
  return radius * std::cos(2.0 * std::numbers::pi * uniform());
}

std::vector<std::size_t> Random::sample(std::size_t size, std::size_t count) {
  std::vector<std::size_t> indices(size);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  for (std::size_t i = 0; i < count; ++i) {
    std::swap(indices[i], indices[i + index(size - i)]);
  }
  indices.resize(count);
  std::sort(indices.begin(), indices.end());
  return indices;
}

std::vector<std::size_t> Random::permutation(std::size_t size) {
  std::vector<std::size_t> indices(size);
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  shuffle(indices);
  return indices;
}

}  // namespace covary
