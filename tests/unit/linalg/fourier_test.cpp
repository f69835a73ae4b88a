#include "linalg/fourier.h"

#include <cmath>
#include <numbers>
#include <vector>

#include <gtest/gtest.h>

#include <covary/random.h>

namespace covary {
namespace {

TEST(FourierTransform, IsTheSumThatDefinesIt) {
  Random random(1);
  for (std::size_t n = 1; n <= 512; n *= 2) {
    std::vector<std::complex<double>> values(n);
    for (std::complex<double>& value : values) value = {random.normal(), random.normal()};
    std::vector<std::complex<double>> transformed = values;
    fourier_transform(transformed);
    for (std::size_t k = 0; k < n; ++k) {
      std::complex<double> sum = 0.0;
      for (std::size_t m = 0; m < n; ++m) {
        sum += values[m] * std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(k * m) /
                                               static_cast<double>(n));
      }
      ASSERT_LT(std::abs(transformed[k] - sum), 1e-11) << n << " " << k;
    }
  }
}

}  // namespace
}  // namespace covary
