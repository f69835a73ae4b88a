#pragma once

#include <complex>
#include <cstddef>
#include <span>

namespace covary {

// F_k = Σ_m f_m exp(−2πi k m / N), in place. REQUIRES: N is a power of two.
void fourier_transform(std::span<std::complex<double>> values);

}  // namespace covary
