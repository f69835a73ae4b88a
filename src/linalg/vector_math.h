#pragma once

#include <bit>
#include <cstdint>

// Elementary functions without branches or calls, so that a loop over them becomes vector code for
// whatever instruction set the loop is compiled for. Accurate to about one unit in the last place.
// COVARY_LANE marks a function that must dissolve in the loop it stands in.
#if defined(__CUDACC__)
#define COVARY_LANE __host__ __device__ __forceinline__
#else
#define COVARY_LANE [[gnu::always_inline]] inline
#endif

namespace covary {

// e^x for x <= 700; 0 below -708, where the result would be denormal.
COVARY_LANE double lane_exp(double x) {
#if defined(__CUDA_ARCH__)
  return x < -708.0 ? 0.0 : exp(x);
#else
  constexpr double log2_e = 1.4426950408889634;
  constexpr double ln2_high = 6.93147180369123816490e-01;
  constexpr double ln2_low = 1.90821492927058770002e-10;
  constexpr double shifter = 0x1.8p52;  // adding it rounds to a whole number, kept in the low bits
  const double clamped = x < -708.0 ? -708.0 : x;
  const double shifted = clamped * log2_e + shifter;
  const double n = shifted - shifter;
  const double r = (clamped - n * ln2_high) - n * ln2_low;  // |r| <= ln 2 / 2
  // Taylor's polynomial, whose next term is below 2^-54 on that interval, as 1 + (r + r² t) with t
  // in Estrin's form: short chains of dependent operations keep the vector units busy.
  const double r2 = r * r;
  const double r4 = r2 * r2;
  const double t01 = (1.0 / 2.0 + r * (1.0 / 6.0)) + r2 * (1.0 / 24.0 + r * (1.0 / 120.0));
  const double t23 =
      (1.0 / 720.0 + r * (1.0 / 5040.0)) + r2 * (1.0 / 40320.0 + r * (1.0 / 362880.0));
  const double t45 = (1.0 / 3628800.0 + r * (1.0 / 39916800.0)) +
                     r2 * (1.0 / 479001600.0 + r * (1.0 / 6227020800.0));
  const double t = t01 + r4 * (t23 + r4 * t45);
  const double p = 1.0 + (r + r2 * t);
  const auto power = std::bit_cast<std::uint64_t>(shifted) << 52U;  // n in the exponent
  const auto result = std::bit_cast<double>(std::bit_cast<std::uint64_t>(p) + power);
  return x < -708.0 ? 0.0 : result;
#endif
}

// ln x for normal x > 0.
COVARY_LANE double lane_log(double x) {
#if defined(__CUDA_ARCH__)
  return log(x);
#else
  constexpr double ln2_high = 6.93147180369123816490e-01;
  constexpr double ln2_low = 1.90821492927058770002e-10;
  // x = 2^e m with m in [sqrt(1/2), sqrt(2)); the exponent becomes a double by the same trick.
  constexpr std::uint64_t offset = 0x3fe6a09e667f3bcdU;  // sqrt(1/2)
  const std::uint64_t shifted = std::bit_cast<std::uint64_t>(x) - offset;
  const std::uint64_t exponent_bits = (shifted >> 52U) & 0xfffU;  // e modulo 4096
  const std::uint64_t biased = (exponent_bits + 2048U) & 0xfffU;  // e + 2048
  const double e = std::bit_cast<double>(biased | 0x4330000000000000U) - (0x1p52 + 2048.0);
  const auto m = std::bit_cast<double>((shifted & 0x000fffffffffffffU) + offset);
  const double f = m - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  // ln m = 2 artanh(s) = f - s (f - R), R = s^2 (2/3 + 2/5 s^2 + ...) (Tang; as in fdlibm)
  const double w = z * z;
  const double even = w * (3.999999999940941908e-01 +
                           w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double odd = z * (6.666666666666735130e-01 +
                          w * (2.857142874366239149e-01 +
                               w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const double r = even + odd;
  const double half_square = 0.5 * f * f;
  return e * ln2_high - ((half_square - (s * (half_square + r) + e * ln2_low)) - f);
#endif
}

}  // namespace covary
