#include "kernels/numerics.h"

namespace covary {

bool has_wide_vectors() {
#if defined(__x86_64__)
  static const bool answer =
      __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
  return answer;
#else
  return false;
#endif
}

}  // namespace covary
