#pragma once

#include <cstddef>
#include <numeric>
#include <span>

namespace covary {

// Σ a_i b_i over the elements of a, from the first to the last: the same on every machine.
// REQUIRES: b is as long as a, or longer.
inline double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

// The same in whatever order is fastest: for sums of which nothing depends on the last digits.
inline double unordered_dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  const double* x = a.data();
  const double* y = b.data();
  const std::size_t size = a.size();
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < size; ++i) sum += x[i] * y[i];
  return sum;
}

}  // namespace covary
