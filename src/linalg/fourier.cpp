// The fast Fourier transform of Cooley and Tukey, radix 2, decimation in time.
#include "linalg/fourier.h"

#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

namespace covary {

void fourier_transform(std::span<std::complex<double>> values) {
  const std::size_t n = values.size();
  for (std::size_t i = 1, j = 0; i < n; ++i) {
    std::size_t bit = n >> 1;
    for (; (j & bit) != 0; bit >>= 1) j ^= bit;
    j ^= bit;
    if (i < j) std::swap(values[i], values[j]);
  }
  std::vector<std::complex<double>> turns(n / 2);
  for (std::size_t half = 1; half < n; half *= 2) {
    // Each turn from sine and cosine, so that errors do not add up along the circle.
    for (std::size_t k = 0; k < half; ++k) {
      const double angle = -std::numbers::pi * static_cast<double>(k) / static_cast<double>(half);
      turns[k] = {std::cos(angle), std::sin(angle)};
    }
    for (std::size_t begin = 0; begin < n; begin += 2 * half) {
      for (std::size_t k = 0; k < half; ++k) {
        const std::complex<double> a = values[begin + k];
        const std::complex<double> b = values[begin + k + half];
        const std::complex<double> t = turns[k];
        const std::complex<double> turned(b.real() * t.real() - b.imag() * t.imag(),
                                          b.real() * t.imag() + b.imag() * t.real());
        values[begin + k] = a + turned;
        values[begin + k + half] = a - turned;
      }
    }
  }
}

}  // namespace covary
