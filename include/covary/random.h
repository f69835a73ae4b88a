#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace covary {

// The only source of randomness: always passed in, never global, so a seed fixes every result.
// The draws are the same on every platform, which the standard library's distributions are not.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // Uniform over 0 ... size - 1, without bias. REQUIRES: size > 0.
  std::uint64_t index(std::uint64_t size);

  // Uniform over [0, 1), in steps of 2^-53.
  double uniform();

  // Normal with mean 0 and standard deviation 1.
  double normal();

  // `count` distinct indices out of 0 ... size - 1, every subset equally likely, in rising order.
  // REQUIRES: count <= size.
  std::vector<std::size_t> sample(std::size_t size, std::size_t count);

  // Every order equally likely (Fisher and Yates, from the end).
  template <class Value>
  void shuffle(std::vector<Value>& values) {
    for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[index(i)]);
  }
  std::vector<std::size_t> permutation(std::size_t size);  // 0 ... size - 1, shuffled

 private:
  std::mt19937_64 engine_;
};

}  // namespace covary
