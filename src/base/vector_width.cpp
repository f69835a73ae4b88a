#include "base/vector_width.h"

namespace covary {

VectorWidth vector_width() {
#if defined(__x86_64__)
  static const VectorWidth answer = [] {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) {
      return VectorWidth::baseline;
    }
    const bool is_widest = __builtin_cpu_supports("avx512f") &&
                           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    return is_widest ? VectorWidth::widest : VectorWidth::wide;
  }();
  return answer;
#else
  return VectorWidth::baseline;
#endif
}

}  // namespace covary
