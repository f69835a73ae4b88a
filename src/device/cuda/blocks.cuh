#pragma once

#include <cstdint>

// What the threads of a block do together.

namespace covary::device {

// The tile of a lower triangle with this number.
__device__ inline void lower_tile(std::int64_t number, int& row, int& column) {
  auto r = static_cast<std::int64_t>((sqrt(8.0 * static_cast<double>(number) + 1.0) - 1.0) * 0.5);
  while ((r + 1) * (r + 2) / 2 <= number) ++r;
  while (r * (r + 1) / 2 > number) --r;
  row = static_cast<int>(r);
  column = static_cast<int>(number - r * (r + 1) / 2);
}

// The sum of a block's numbers in an order that is always the same; valid in thread 0.
__device__ inline double block_sum(double value, double* scratch) {
  scratch[threadIdx.x] = value;
  __syncthreads();
  for (int width = static_cast<int>(blockDim.x) / 2; width > 0; width /= 2) {
    if (static_cast<int>(threadIdx.x) < width) scratch[threadIdx.x] += scratch[threadIdx.x + width];
    __syncthreads();
  }
  const double sum = scratch[0];
  __syncthreads();
  return sum;
}

}  // namespace covary::device
