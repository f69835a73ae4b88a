#pragma once

namespace covary {

// How wide the vectors of this machine are.
enum class VectorWidth { baseline, wide, widest };
VectorWidth vector_width();

// The same code compiled for each of them, by the attributes below.
template <class Numerics>
struct Variants {
  Numerics baseline;
  Numerics wide;
  Numerics widest;

  const Numerics& best() const { return of(vector_width()); }
  const Numerics& of(VectorWidth width) const {
    if (width == VectorWidth::widest) return widest;
    return width == VectorWidth::wide ? wide : baseline;
  }
};

}  // namespace covary

#define COVARY_BASELINE
#if defined(__x86_64__)
#define COVARY_WIDE [[gnu::target("avx2,fma")]]
#if defined(__clang__)
#define COVARY_WIDEST [[gnu::target("avx512f,avx512dq,avx512vl,fma")]]
#else
#define COVARY_WIDEST [[gnu::target("avx512f,avx512dq,avx512vl,fma,prefer-vector-width=512")]]
#endif
#else
#define COVARY_WIDE
#define COVARY_WIDEST
#endif
