#pragma once

#include <cuda_pipeline.h>

#include "device/cuda/blocks.cuh"
#include "device/cuda/item.h"

// Cholesky factor and inverse of many matrices of moderate size at a time, by tiles, on the tensor
// cores in double precision. Which matrices stand side by side changes nothing in any of them.
//
// A matrix has its target as row n: the factor's row is then (L^-1 y)', and the inverse's -alpha'.
// The factor stands in the lower triangle. Its inverse, transposed, comes to stand in the upper
// one, but for the diagonal tiles, whose inverses have an array of their own.

namespace covary::device {

inline constexpr int tile_threads = 256;
inline constexpr int slice = 16;        // columns of operands that are in shared memory at a time
inline constexpr int padded_tile = 68;  // no two threads of a load meet in a bank
inline constexpr int tile_size = tile * tile;

// C = sum over k of A(:, k) B(:, k)': 8 warps, each 32 x 16 of the 64 x 64, in pieces of 8 x 8.
struct Accumulators {
  double c[4][2][2];
};

union TileMemory {
  struct {
    double a[2][slice][padded_tile];
    double b[2][slice][padded_tile];
  } operands;
  double square[tile][padded_tile];
};

struct Position {
  int row;     // of a thread's first number in its warp's first piece
  int column;  // of the first of two
};
__device__ __forceinline__ Position position() {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  return {(warp % 2) * 32 + lane / 4, (warp / 2) * 16 + (lane % 4) * 2};
}

__device__ __forceinline__ void clear(Accumulators& sums) {
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 2; ++j) sums.c[i][j][0] = sums.c[i][j][1] = 0.0;
  }
}

// f(row, column, number) for each number that this thread has.
template <class F>
__device__ __forceinline__ void for_each(Accumulators& sums, const F& f) {
  const Position p = position();
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      f(p.row + 8 * i, p.column + 8 * j, sums.c[i][j][0]);
      f(p.row + 8 * i, p.column + 8 * j + 1, sums.c[i][j][1]);
    }
  }
}

__device__ __forceinline__ void multiply(double (&c)[2], double a, double b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};"
               : "+d"(c[0]), "+d"(c[1])
               : "d"(a), "d"(b));
}

// Some columns of operands that stand in shared memory as [k][row].
__device__ __forceinline__ void multiply_slice(Accumulators& sums, const double (*a)[padded_tile],
                                               const double (*b)[padded_tile], int depth) {
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int row = (warp % 2) * 32 + lane / 4;
  const int column = (warp / 2) * 16 + lane / 4;
#pragma unroll 4
  for (int k = lane % 4; k < depth; k += 4) {
    double left[4];
    double right[2];
#pragma unroll
    for (int i = 0; i < 4; ++i) left[i] = a[k][row + 8 * i];
#pragma unroll
    for (int j = 0; j < 2; ++j) right[j] = b[k][column + 8 * j];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int j = 0; j < 2; ++j) multiply(sums.c[i][j], left[i], right[j]);
    }
  }
}

// 64 rows of some columns, from a matrix to shared memory, in the background.
__device__ __forceinline__ void fetch(double (*to)[padded_tile], const double* from,
                                      std::int64_t stride) {
  constexpr int num_pairs = slice * tile / 2;
  for (int p = threadIdx.x; p < num_pairs; p += tile_threads) {
    const int row = (p % (tile / 2)) * 2;
    const int k = p / (tile / 2);
    __pipeline_memcpy_async(&to[k][row], from + row + k * stride, 2 * sizeof(double));
  }
}

// sums += A B' over `depth` columns, a whole number of slices. All threads, and shared memory free
// before and after.
__device__ __forceinline__ void accumulate(Accumulators& sums, TileMemory& memory, const double* a,
                                           std::int64_t a_stride, const double* b,
                                           std::int64_t b_stride, int depth) {
  auto& operands = memory.operands;
  const int num_slices = depth / slice;
  if (num_slices == 0) return;
  fetch(operands.a[0], a, a_stride);
  fetch(operands.b[0], b, b_stride);
  __pipeline_commit();
  for (int s = 0; s < num_slices; ++s) {
    const int now = s % 2;
    if (s + 1 < num_slices) {
      const std::int64_t k = static_cast<std::int64_t>(s + 1) * slice;
      fetch(operands.a[1 - now], a + k * a_stride, a_stride);
      fetch(operands.b[1 - now], b + k * b_stride, b_stride);
    }
    __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    multiply_slice(sums, operands.a[now], operands.b[now], slice);
    __syncthreads();
  }
  __pipeline_wait_prior(0);
}

__device__ __forceinline__ double* tile_of(const Item& item, int row, int column) {
  return item.matrix + row * tile + static_cast<std::int64_t>(column) * tile * item.stride;
}
__device__ __forceinline__ double* inverse_of(const Item& item, int t) {
  return item.inverses + static_cast<std::int64_t>(t) * 2 * tile_size;
}

// The factor of a diagonal tile, which stands in `square`, and its inverse. Each thread has 4 x 4
// numbers of both, 16 rows and columns apart; one column after another.
__device__ inline void factor_tile(const Item& item, int t, TileMemory& memory) {
  __shared__ double column_now[2][tile];
  __shared__ double row_now[2][tile];
  const int tx = static_cast<int>(threadIdx.x) % 16;
  const int ty = static_cast<int>(threadIdx.x) / 16;
  double a[4][4];
  double r[4][4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      a[i][j] = memory.square[ty + 16 * j][tx + 16 * i];
      r[i][j] = tx + 16 * i == ty + 16 * j ? 1.0 : 0.0;
    }
  }
  const int num_true = item.num_rows - t * tile;  // rows and columns; then comes the border
  bool is_broken = false;
#pragma unroll
  for (int kb = 0; kb < 4; ++kb) {
    for (int kk = 0; kk < 16; ++kk) {
      const int k = kb * 16 + kk;
      const int now = kk % 2;
      if (ty == kk) {
#pragma unroll
        for (int i = 0; i < 4; ++i) column_now[now][tx + 16 * i] = a[i][kb];
      }
      if (tx == kk) {
#pragma unroll
        for (int j = 0; j < 4; ++j) row_now[now][ty + 16 * j] = r[kb][j];
      }
      __syncthreads();
      double pivot = column_now[now][k];
      const bool is_border = k >= num_true;
      if (is_border) pivot = 1.0;
      if (!(pivot > 0.0) || !isfinite(pivot)) {
        is_broken = true;
        pivot = 1.0;
      }
      const double root = sqrt(pivot);
      const double scale = 1.0 / root;
      double left[4];
      double right[4];
      double across[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int row = tx + 16 * i;
        left[i] = is_border || row <= k ? 0.0 : column_now[now][row] * scale;
      }
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int column = ty + 16 * j;
        right[j] = is_border || column <= k ? 0.0 : column_now[now][column] * scale;
        across[j] = row_now[now][column] * scale;
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          a[i][j] -= left[i] * right[j];
          r[i][j] -= left[i] * across[j];
        }
      }
      if (ty == kk) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int row = tx + 16 * i;
          a[i][kb] = row == k ? root : left[i];
        }
      }
      if (tx == kk) {
#pragma unroll
        for (int j = 0; j < 4; ++j) r[kb][j] = across[j];
      }
    }
  }
  if (is_broken && threadIdx.x == 0) item.results[result_failed] = 1.0;
  double* factor = tile_of(item, t, t);
  double* inverse = inverse_of(item, t);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int row = tx + 16 * i;
      const int column = ty + 16 * j;
      if (row >= column) factor[row + column * item.stride] = a[i][j];
      const double value = row >= column ? r[i][j] : 0.0;
      inverse[row + column * tile] = value;
      inverse[tile_size + column + row * tile] = value;
    }
  }
}

__global__ void __launch_bounds__(tile_threads, 2) factor_first_kernel(const Item* items) {
  __shared__ TileMemory memory;
  const Item& item = items[blockIdx.x];
  for (int p = threadIdx.x; p < tile_size; p += tile_threads) {
    memory.square[p / tile][p % tile] = item.matrix[p % tile + p / tile * item.stride];
  }
  __syncthreads();
  factor_tile(item, 0, memory);
}

// The tiles below diagonal tile k, which is factored: A := A L^-T.
__global__ void __launch_bounds__(tile_threads, 2) panel_kernel(const Item* items, int k) {
  __shared__ TileMemory memory;
  const Item& item = items[blockIdx.y];
  const int i = k + 1 + static_cast<int>(blockIdx.x);
  if (i >= item.num_tiles) return;
  double* here = tile_of(item, i, k);
  Accumulators sums;
  clear(sums);
  accumulate(sums, memory, here, item.stride, inverse_of(item, k), tile, tile);
  for_each(sums,
           [&](int row, int column, double value) { here[row + column * item.stride] = value; });
}

// What column k takes from the tiles right of it; then the next diagonal tile is factored.
__global__ void __launch_bounds__(tile_threads, 2) update_kernel(const Item* items, int k) {
  __shared__ TileMemory memory;
  const Item& item = items[blockIdx.y];
  const int num_left = item.num_tiles - k - 1;
  if (num_left <= 0 || static_cast<int>(blockIdx.x) >= num_left * (num_left + 1) / 2) return;
  int i = 0;
  int j = 0;
  auto r = static_cast<int>((sqrtf(8.0F * static_cast<float>(blockIdx.x) + 1.0F) - 1.0F) * 0.5F);
  while ((r + 1) * (r + 2) / 2 <= static_cast<int>(blockIdx.x)) ++r;
  while (r * (r + 1) / 2 > static_cast<int>(blockIdx.x)) --r;
  i = k + 1 + r;
  j = k + 1 + static_cast<int>(blockIdx.x) - r * (r + 1) / 2;
  double* here = tile_of(item, i, j);
  Accumulators sums;
  clear(sums);
  accumulate(sums, memory, tile_of(item, i, k), item.stride, tile_of(item, j, k), item.stride,
             tile);
  const bool is_next = i == k + 1;
  for_each(sums, [&](int row, int column, double value) {
    const double left = here[row + column * item.stride] - value;
    if (is_next) {
      memory.square[column][row] = left;
    } else {
      here[row + column * item.stride] = left;
    }
  });
  if (!is_next) return;
  __syncthreads();
  factor_tile(item, i, memory);
}

// y' K^-1 y and the determinant; one block per item.
__global__ void value_kernel(const Item* items) {
  __shared__ double scratch[256];
  const Item& item = items[blockIdx.x];
  const int n = item.num_rows;
  double square = 0.0;
  double log_determinant = 0.0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    const double root = item.matrix[n + i * item.stride];
    square += root * root;
    log_determinant += 2.0 * log(item.matrix[i + i * item.stride]);
  }
  square = block_sum(square, scratch);
  log_determinant = block_sum(log_determinant, scratch);
  if (threadIdx.x == 0) {
    item.results[result_square] = square;
    item.results[result_log_determinant] = log_determinant;
  }
}

// One column of tiles of the factor's inverse, top down, each by those above it.
__global__ void __launch_bounds__(tile_threads, 2) invert_kernel(const Item* items) {
  __shared__ TileMemory memory;
  const Item& item = items[blockIdx.y];
  const int j = static_cast<int>(blockIdx.x);
  if (j >= item.num_tiles) return;
  for (int i = j + 1; i < item.num_tiles; ++i) {
    Accumulators sums;
    clear(sums);
    accumulate(sums, memory, tile_of(item, i, j), item.stride, inverse_of(item, j) + tile_size,
               tile, tile);
    accumulate(sums, memory, tile_of(item, i, j + 1), item.stride, tile_of(item, j, j + 1),
               item.stride, (i - j - 1) * tile);
    // X_ij = -L_ii^-1 S: S becomes an operand, and so does the inverse, a slice at a time.
    for_each(sums, [&](int row, int column, double value) { memory.square[row][column] = value; });
    __syncthreads();
    clear(sums);
    const double* inverse = inverse_of(item, i);
    const int warp = static_cast<int>(threadIdx.x) / 32;
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int row = (warp % 2) * 32 + lane / 4;
    const int column = (warp / 2) * 16 + lane / 4;
#pragma unroll 4
    for (int k = lane % 4; k < tile; k += 4) {
      double right[2];
#pragma unroll
      for (int c = 0; c < 2; ++c) right[c] = memory.square[k][column + 8 * c];
#pragma unroll
      for (int r = 0; r < 4; ++r) {
        const double left = __ldg(inverse + row + 8 * r + k * tile);
#pragma unroll
        for (int c = 0; c < 2; ++c) multiply(sums.c[r][c], left, right[c]);
      }
    }
    double* here = tile_of(item, j, i);
    for_each(sums, [&](int r, int c, double value) { here[c + r * item.stride] = -value; });
    __syncthreads();  // the next one reads what was written here
  }
}

// alpha, from the inverse's last row.
__global__ void alpha_kernel(const Item* items) {
  const Item& item = items[blockIdx.y];
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  const int n = item.num_rows;
  if (i >= n) return;
  const int last = n / tile;
  const double value = i / tile == last
                           ? inverse_of(item, last)[n % tile + (i % tile) * tile]
                           : item.matrix[i + static_cast<std::int64_t>(n) * item.stride];
  item.alpha[i] = -value;
}

// K^-1 in the place of the factor, one tile of its lower triangle.
__global__ void __launch_bounds__(tile_threads, 2) product_kernel(const Item* items) {
  __shared__ TileMemory memory;
  const Item& item = items[blockIdx.y];
  int i = 0;
  int j = 0;
  lower_tile(blockIdx.x, i, j);
  if (i >= item.num_tiles) return;
  Accumulators sums;
  clear(sums);
  const double* own = inverse_of(item, i) + tile_size;
  const double* other = i == j ? own : tile_of(item, j, i);
  accumulate(sums, memory, own, tile, other, i == j ? tile : item.stride, tile);
  accumulate(sums, memory, tile_of(item, i, i + 1), item.stride, tile_of(item, j, i + 1),
             item.stride, (item.num_tiles - i - 1) * tile);
  // The inverse's last row is none of K's.
  double* here = tile_of(item, i, j);
  for_each(sums, [&](int row, int column, double value) {
    const int r = i * tile + row;
    const int c = j * tile + column;
    if (r >= item.num_rows || c >= item.num_rows) return;
    if (i == j && column > row) return;
    here[row + column * item.stride] = value - item.alpha[r] * item.alpha[c];
  });
}

// Columns of U = L^-1 V for the rows of one item; a warp per row and four columns at a time.
__global__ void whiten_kernel(const Item* items) {
  const Item& item = items[blockIdx.y];
  if (!item.wants_information) return;
  const int warps = static_cast<int>(blockDim.x) / 32;
  const int row = static_cast<int>(blockIdx.x) * warps + static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  const int n = item.num_rows;
  if (row >= n) return;
  const int d = item.num_parameters + 1;
  const int own_tile = row / tile;
  const double* diagonal = inverse_of(item, own_tile) + tile_size + (row % tile) * tile;
  const double* above = item.matrix + row * item.stride;  // X(row, k) at k
  constexpr int together = 4;
  for (int p = 0; p < d; p += together) {
    const double* v[together];
#pragma unroll
    for (int c = 0; c < together; ++c) {
      v[c] = item.products + static_cast<std::int64_t>(min(p + c, d - 1)) * n;
    }
    double sums[together] = {};
    for (int k = lane; k <= row; k += 32) {
      const double x = k < own_tile * tile ? above[k] : diagonal[k - own_tile * tile];
#pragma unroll
      for (int c = 0; c < together; ++c) sums[c] += x * v[c][k];
    }
#pragma unroll
    for (int c = 0; c < together; ++c) {
      for (int width = 16; width > 0; width /= 2) {
        sums[c] += __shfl_down_sync(0xffffffffU, sums[c], width);
      }
      if (lane == 0 && p + c < d) {
        item.whitened[static_cast<std::int64_t>(p + c) * n + row] = sums[c];
      }
    }
  }
}

// ---- diagonal blocks of a large factor ----------------------------------------------------------

inline constexpr int block_tiles = 8;
inline constexpr int block_rows = block_tiles * tile;

// A large factor in the lower triangle of a matrix, whose rows are a whole number of tiles: what is
// beyond the true ones is an identity matrix.
struct Factor {
  const double* matrix;
  std::int64_t stride;
  std::int32_t num_rows;
  double* tiles;   // inverses of the diagonal tiles, transposed
  double* blocks;  // inverses of the diagonal blocks, each block_rows squared
};

__device__ __forceinline__ double number_of(const Factor& factor, std::int64_t row,
                                            std::int64_t column) {
  if (row >= factor.num_rows || column >= factor.num_rows) return row == column ? 1.0 : 0.0;
  return factor.matrix[row + column * factor.stride];
}

// The inverse of one diagonal tile, column after column as in factor_tile().
__global__ void __launch_bounds__(tile_threads) invert_tiles_kernel(Factor factor) {
  __shared__ double lower[tile][tile + 1];
  __shared__ double row_now[2][tile];
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * tile;
  for (int p = threadIdx.x; p < tile_size; p += tile_threads) {
    const int row = p % tile;
    const int column = p / tile;
    lower[column][row] = row >= column ? number_of(factor, first + row, first + column) : 0.0;
  }
  __syncthreads();
  const int tx = static_cast<int>(threadIdx.x) % 16;
  const int ty = static_cast<int>(threadIdx.x) / 16;
  double r[4][4];
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) r[i][j] = tx + 16 * i == ty + 16 * j ? 1.0 : 0.0;
  }
#pragma unroll
  for (int kb = 0; kb < 4; ++kb) {
    for (int kk = 0; kk < 16; ++kk) {
      const int k = kb * 16 + kk;
      const int now = kk % 2;
      if (tx == kk) {
#pragma unroll
        for (int j = 0; j < 4; ++j) row_now[now][ty + 16 * j] = r[kb][j];
      }
      __syncthreads();
      const double scale = 1.0 / lower[k][k];
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const double across = row_now[now][ty + 16 * j] * scale;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int row = tx + 16 * i;
          if (row > k) r[i][j] -= lower[k][row] * across;
        }
        if (tx == kk) r[kb][j] = across;
      }
    }
  }
  double* out = factor.tiles + static_cast<std::int64_t>(blockIdx.x) * tile_size;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int row = tx + 16 * i;
      const int column = ty + 16 * j;
      out[column + row * tile] = row >= column ? r[i][j] : 0.0;
    }
  }
}

inline constexpr std::size_t invert_blocks_bytes = 2 * tile * padded_tile * sizeof(double);

// One column of tiles of a diagonal block's inverse; those above the diagonal become 0.
__global__ void __launch_bounds__(tile_threads) invert_blocks_kernel(Factor factor) {
  extern __shared__ double dynamic[];
  auto* left = reinterpret_cast<double(*)[padded_tile]>(dynamic);  // [k][row] of L_ik
  auto* right = left + tile;  // [k][column] of X_kj, then of the sum
  const int j = static_cast<int>(blockIdx.x);
  const std::int64_t first_tile = static_cast<std::int64_t>(blockIdx.y) * block_tiles;
  double* block = factor.blocks + static_cast<std::int64_t>(blockIdx.y) * block_rows * block_rows;
  double* column_of_tiles = block + static_cast<std::int64_t>(j) * tile * block_rows;
  const int num_tiles = (factor.num_rows + tile - 1) / tile;
  for (int i = 0; i < block_tiles; ++i) {
    if (i >= j && first_tile + i < num_tiles) continue;
    for (int p = threadIdx.x; p < tile_size; p += tile_threads) {
      const bool is_one = i == j && p % tile == p / tile;
      column_of_tiles[i * tile + p % tile + p / tile * block_rows] = is_one ? 1.0 : 0.0;
    }
  }
  for (int i = j; i < block_tiles && first_tile + i < num_tiles; ++i) {
    const double* own = factor.tiles + (first_tile + i) * tile_size;  // transposed
    if (i == j) {
      for (int p = threadIdx.x; p < tile_size; p += tile_threads) {
        column_of_tiles[i * tile + p % tile + p / tile * block_rows] =
            own[p / tile + p % tile * tile];
      }
      __syncthreads();
      continue;
    }
    Accumulators sums;
    clear(sums);
    for (int k = j; k < i; ++k) {
      const std::int64_t row = (first_tile + i) * tile;
      const std::int64_t column = (first_tile + k) * tile;
      for (int p = threadIdx.x; p < tile_size; p += tile_threads) {
        left[p / tile][p % tile] = number_of(factor, row + p % tile, column + p / tile);
        right[p % tile][p / tile] = column_of_tiles[k * tile + p % tile + p / tile * block_rows];
      }
      __syncthreads();
      multiply_slice(sums, left, right, tile);
      __syncthreads();
    }
    for_each(sums, [&](int row, int column, double value) { right[row][column] = -value; });
    for (int p = threadIdx.x; p < tile_size; p += tile_threads) {
      left[p % tile][p / tile] = own[p];  // own is [row of inverse][column]
    }
    __syncthreads();
    clear(sums);
    multiply_slice(sums, left, right, tile);
    for_each(sums, [&](int row, int column, double value) {
      column_of_tiles[i * tile + row + column * block_rows] = value;
    });
    __syncthreads();
  }
}

// The inverses of the diagonal blocks into their places, and zeros above the diagonal of squares of
// so many rows.
__global__ void place_blocks_kernel(Factor factor, double* matrix, int square) {
  const std::int64_t column = blockIdx.x;
  const std::int64_t begin = column / square * square;
  const std::int64_t block = column / block_rows;
  const std::int64_t end =
      min((block + 1) * block_rows, static_cast<std::int64_t>(factor.num_rows));
  for (std::int64_t row = begin + threadIdx.x; row < end; row += blockDim.x) {
    double value = 0.0;
    if (row >= column) {
      value = factor.blocks[block * block_rows * block_rows + row % block_rows +
                            column % block_rows * block_rows];
    }
    matrix[row + column * factor.stride] = value;
  }
}

}  // namespace covary::device
