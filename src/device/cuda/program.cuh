#pragma once

#include "device/cuda/blocks.cuh"
#include "device/cuda/item.h"
#include "device/formulas.h"

// Threads that walk through an expression's program, each with a few pairs of points at a time:
// values of all nodes from the leaves up, and the adjoint from the root down.

namespace covary::device {

// Programs as blocks keep them in shared memory, followed by room for the threads' numbers.
struct ProgramView {
  const NodeStep* nodes;
  const double* constants;
  double* room;
  std::int32_t num_nodes;
};

inline __host__ __device__ std::size_t program_bytes(int num_nodes) {
  return static_cast<std::size_t>(num_nodes) * (sizeof(NodeStep) + max_constants * sizeof(double));
}

__device__ inline ProgramView load_program(const Item& item, double* shared) {
  const int num_constants = item.num_nodes * static_cast<int>(max_constants);
  const int words = item.num_nodes * static_cast<int>(sizeof(NodeStep) / sizeof(double));
  const double* nodes = reinterpret_cast<const double*>(item.nodes);
  for (int i = threadIdx.x; i < words; i += blockDim.x) shared[i] = nodes[i];
  for (int i = threadIdx.x; i < num_constants; i += blockDim.x) {
    shared[words + i] = item.constants[i];
  }
  __syncthreads();
  return {reinterpret_cast<const NodeStep*>(shared), shared + words, shared + words + num_constants,
          item.num_nodes};
}

template <int num_features>
__device__ __forceinline__ Lane lane_of(const Item& item, const NodeStep& node, int row) {
  const double* first = item.features + node.feature * item.feature_stride + row;
  return {num_features > 0 ? __ldg(first) : 0.0,
          num_features > 1 ? __ldg(first + item.feature_stride) : 0.0,
          num_features > 2 ? __ldg(first + 2 * item.feature_stride) : 0.0};
}

// Numbers of a thread: place p of pair q stands at room[(p * pairs + q) * blockDim.x +
// threadIdx.x].
template <int pairs>
struct Numbers {
  double* own;
  __device__ Numbers(double* room) : own(room + threadIdx.x) {}
  __device__ __forceinline__ double& at(int place, int pair) {
    return own[(place * pairs + pair) * static_cast<int>(blockDim.x)];
  }
};

template <class Formula, int pairs>
__device__ __forceinline__ void leaf_values(const Item& item, const ProgramView& program, int n,
                                            int row, const int (&columns)[pairs],
                                            Numbers<pairs> numbers, int place) {
  const NodeStep& node = program.nodes[n];
  const auto constants = stored<Formula>(program.constants + n * max_constants);
  const Lane a = lane_of<Formula::num_features>(item, node, row);
#pragma unroll
  for (int q = 0; q < pairs; ++q) {
    const Lane b = lane_of<Formula::num_features>(item, node, columns[q]);
    numbers.at(place, q) = formula_value<Formula>(constants, a, b);
  }
}

template <class Formula, int pairs>
__device__ __forceinline__ void operator_values(const Item& item, const ProgramView& program, int n,
                                                int row, const int (&columns)[pairs],
                                                Numbers<pairs> numbers, int left, int right,
                                                int place) {
  const NodeStep& node = program.nodes[n];
  const Lane a = lane_of<Formula::num_features>(item, node, row);
#pragma unroll
  for (int q = 0; q < pairs; ++q) {
    const Lane b = lane_of<Formula::num_features>(item, node, columns[q]);
    numbers.at(place, q) = Formula::value(a, b, numbers.at(left, q), numbers.at(right, q));
  }
}

// Values of all nodes; on a stack, or each in a place of its own.
template <int pairs, bool keeps_all>
__device__ __forceinline__ void forward(const Item& item, const ProgramView& program, int row,
                                        const int (&columns)[pairs], Numbers<pairs> numbers) {
  for (int n = 0; n < program.num_nodes; ++n) {
    const NodeStep& node = program.nodes[n];
    const int place = keeps_all ? node.value : node.depth;
    const int left = keeps_all ? program.nodes[node.left].value : node.depth;
    const int right = keeps_all ? program.nodes[node.right].value : node.depth + 1;
    switch (node.function) {
#define COVARY_CASE(name)                                                                  \
  case function_##name:                                                                    \
    leaf_values<registry::name##_formula>(item, program, n, row, columns, numbers, place); \
    break;
      COVARY_BASE_KERNELS(COVARY_CASE)
#undef COVARY_CASE
#define COVARY_CASE(name)                                                                    \
  case function_##name:                                                                      \
    operator_values<registry::name##_formula>(item, program, n, row, columns, numbers, left, \
                                              right, place);                                 \
    break;
      COVARY_OPERATORS(COVARY_CASE)
#undef COVARY_CASE
    }
  }
}

// sums[p] += of the pairs, their adjoint times the derivative by parameter p.
template <int pairs>
struct Sums {
  double* own;
  __device__ Sums(double* room) : own(room + threadIdx.x) {}
  __device__ __forceinline__ void add(int parameter, double value) {
    own[parameter * static_cast<int>(blockDim.x)] += value;
  }
};

template <class Formula, int pairs>
__device__ __forceinline__ void leaf_slopes(const Item& item, const ProgramView& program, int n,
                                            int row, const int (&columns)[pairs],
                                            Numbers<pairs> numbers, Sums<pairs> sums) {
  const NodeStep& node = program.nodes[n];
  const auto constants = stored<Formula>(program.constants + n * max_constants);
  const Lane a = lane_of<Formula::num_features>(item, node, row);
  double s0 = 0.0;
  double s1 = 0.0;
  double s2 = 0.0;
#pragma unroll
  for (int q = 0; q < pairs; ++q) {
    const Lane b = lane_of<Formula::num_features>(item, node, columns[q]);
    const double adjoint = numbers.at(node.adjoint, q);
    const Slopes slopes = formula_slopes<Formula>(constants, a, b, numbers.at(node.value, q));
    s0 += adjoint * slopes.first;
    if constexpr (Formula::num_parameters > 1) s1 += adjoint * slopes.second;
    if constexpr (Formula::num_parameters > 2) s2 += adjoint * slopes.third;
  }
  sums.add(node.parameter, s0);
  if constexpr (Formula::num_parameters > 1) sums.add(node.parameter + 1, s1);
  if constexpr (Formula::num_parameters > 2) sums.add(node.parameter + 2, s2);
}

template <class Formula, int pairs>
__device__ __forceinline__ void operator_slopes(const Item& item, const ProgramView& program, int n,
                                                int row, const int (&columns)[pairs],
                                                Numbers<pairs> numbers, Sums<pairs> sums) {
  const NodeStep& node = program.nodes[n];
  const NodeStep& left = program.nodes[node.left];
  const NodeStep& right = program.nodes[node.right];
  const Lane a = lane_of<Formula::num_features>(item, node, row);
  double s0 = 0.0;
  double s1 = 0.0;
#pragma unroll
  for (int q = 0; q < pairs; ++q) {
    const Lane b = lane_of<Formula::num_features>(item, node, columns[q]);
    const double adjoint = numbers.at(node.adjoint, q);
    const OperatorSlopes slopes =
        Formula::slopes(a, b, numbers.at(left.value, q), numbers.at(right.value, q));
    numbers.at(left.adjoint, q) = adjoint * slopes.left;
    numbers.at(right.adjoint, q) = adjoint * slopes.right;
    if constexpr (Formula::num_parameters > 0) s0 += adjoint * slopes.parameters.first;
    if constexpr (Formula::num_parameters > 1) s1 += adjoint * slopes.parameters.second;
  }
  if constexpr (Formula::num_parameters > 0) sums.add(node.parameter, s0);
  if constexpr (Formula::num_parameters > 1) sums.add(node.parameter + 1, s1);
  static_assert(Formula::num_parameters <= 2);
}

// From the root's adjoint, which stands in its place, to the sums of all parameters.
template <int pairs>
__device__ __forceinline__ void backward(const Item& item, const ProgramView& program, int row,
                                         const int (&columns)[pairs], Numbers<pairs> numbers,
                                         Sums<pairs> sums) {
  for (int n = program.num_nodes; n-- > 0;) {
    switch (program.nodes[n].function) {
#define COVARY_CASE(name)                                                                 \
  case function_##name:                                                                   \
    leaf_slopes<registry::name##_formula>(item, program, n, row, columns, numbers, sums); \
    break;
      COVARY_BASE_KERNELS(COVARY_CASE)
#undef COVARY_CASE
#define COVARY_CASE(name)                                                                     \
  case function_##name:                                                                       \
    operator_slopes<registry::name##_formula>(item, program, n, row, columns, numbers, sums); \
    break;
      COVARY_OPERATORS(COVARY_CASE)
#undef COVARY_CASE
    }
  }
}

// Constants of all nodes, and the features of all rows.
__global__ void prepare_kernel(const Item* items) {
  const Item& item = items[blockIdx.y];
  const int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread < item.num_nodes) {
    const NodeStep& node = item.nodes[thread];
    double* constants = item.constants + thread * max_constants;
    // Blocks copy all of them, used or not.
    for (std::size_t i = 0; i < max_constants; ++i) constants[i] = 0.0;
    make_constants(node.function, item.parameters + node.parameter, constants);
  }
  for (int row = thread; row < item.num_rows; row += gridDim.x * blockDim.x) {
    for (int n = 0; n < item.num_nodes; ++n) {
      const NodeStep& node = item.nodes[n];
      const Shape shape = shape_of(node.function);
      if (shape.num_features == 0) continue;
      double x = static_cast<double>(row);
      if (!shape.looks_at_rows) {
        x = item.columns[static_cast<std::int64_t>(node.column) * item.num_rows + row];
        if (!shape.is_operator) x /= node.period;
      }
      const Lane lane = features_of(node.function, item.parameters + node.parameter, x);
      double* out = item.features + node.feature * item.feature_stride + row;
      out[0] = lane.x;
      if (shape.num_features > 1) out[item.feature_stride] = lane.second;
      if (shape.num_features > 2) out[2 * item.feature_stride] = lane.third;
    }
  }
}

inline constexpr int gram_threads = 256;
inline constexpr int gram_pairs = 4;

// One tile of the covariance matrix. A matrix that is factored by tiles has the target as its last
// row and ends like an identity matrix.
__global__ void __launch_bounds__(gram_threads) gram_kernel(const Item* items) {
  extern __shared__ double shared[];
  const Item& item = items[blockIdx.y];
  const int n = item.num_rows;
  const int num_tiles = item.num_tiles > 0 ? item.num_tiles : (n + tile - 1) / tile;
  int tile_row = 0;
  int tile_column = 0;
  lower_tile(blockIdx.x, tile_row, tile_column);
  if (tile_row >= num_tiles) return;
  const ProgramView program = load_program(item, shared);
  const Numbers<gram_pairs> numbers(program.room);
  const double noise = item.parameters[item.num_parameters] + item.diagonal;
  const int row = tile_row * tile + static_cast<int>(threadIdx.x) % tile;
  const int group = static_cast<int>(threadIdx.x) / tile;
  constexpr int num_groups = gram_threads / tile;
  for (int first = 0; first < tile; first += num_groups * gram_pairs) {
    int columns[gram_pairs];
    int clamped[gram_pairs];
#pragma unroll
    for (int q = 0; q < gram_pairs; ++q) {
      columns[q] = tile_column * tile + first + group + q * num_groups;
      clamped[q] = min(columns[q], n - 1);
    }
    forward<gram_pairs, false>(item, program, min(row, n - 1), clamped, numbers);
#pragma unroll
    for (int q = 0; q < gram_pairs; ++q) {
      Numbers<gram_pairs> own = numbers;
      double value = own.at(0, q) + item.constant_variance;
      const int column = columns[q];
      if (row == column) value += noise;
      if (item.num_tiles > 0) {
        if (row >= n || column >= n) value = row == column ? 1.0 : 0.0;
        if (row == n && column < n) value = item.target[column];
      } else if (row >= n || column >= n || column > row) {
        continue;
      }
      item.matrix[row + column * item.stride] = value;
    }
  }
}

// The mean of the diagonal, and what is added to it.
__global__ void diagonal_kernel(const Item* items) {
  __shared__ double scratch[256];
  const Item& item = items[blockIdx.x];
  const int n = item.num_rows;
  double sum = 0.0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += item.matrix[i + i * item.stride];
  const double mean = block_sum(sum, scratch) / n;
  if (threadIdx.x == 0) {
    item.results[result_failed] = isfinite(mean) ? 0.0 : 1.0;
    item.results[result_mean_diagonal] = mean;
  }
  if (item.jitter > 0.0) {
    const double added = item.jitter * mean;
    for (int i = threadIdx.x; i < n; i += blockDim.x) item.matrix[i + i * item.stride] += added;
  }
}

inline constexpr int slope_threads = 128;

// Sums over lower-triangle tiles, of weight times derivative for each parameter, and of the
// diagonal's weights; one row of sums per block.
template <int pairs>
__global__ void __launch_bounds__(slope_threads)
    contract_kernel(const Item* items, const std::int32_t* which, Part part) {
  extern __shared__ double shared[];
  const Item& item = items[which[blockIdx.y]];
  if (part.inverse == nullptr) {
    part.inverse = item.matrix;
    part.stride = item.stride;
    part.num_rows = item.num_rows;
    part.num_columns = item.num_rows;
  }
  const int tile_rows = (part.num_rows + tile - 1) / tile;
  const int tile_columns = (part.num_columns + tile - 1) / tile;
  const bool is_square = part.first_row == part.first_column;
  const std::int64_t num_tiles = is_square
                                     ? static_cast<std::int64_t>(tile_rows) * (tile_rows + 1) / 2
                                     : static_cast<std::int64_t>(tile_rows) * tile_columns;
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * part.tiles_per_block;
  if (begin >= num_tiles) return;
  const std::int64_t end = min(begin + part.tiles_per_block, num_tiles);
  const ProgramView program = load_program(item, shared);
  const int num_sums = item.num_parameters + 1;
  for (int p = 0; p < num_sums; ++p) program.room[p * slope_threads + threadIdx.x] = 0.0;
  Sums<pairs> sums(program.room);
  Numbers<pairs> numbers(program.room + num_sums * slope_threads);
  const int root = program.nodes[program.num_nodes - 1].adjoint;
  constexpr int num_groups = slope_threads / tile;
  const int lane = static_cast<int>(threadIdx.x) % tile;
  const int group = static_cast<int>(threadIdx.x) / tile;
  const int n = item.num_rows;
  for (std::int64_t number = begin; number < end; ++number) {
    int tile_row = static_cast<int>(number / tile_columns);
    int tile_column = static_cast<int>(number % tile_columns);
    if (is_square) lower_tile(number, tile_row, tile_column);
    const int local_row = tile_row * tile + lane;
    const int row = part.first_row + local_row;
    const bool is_row = local_row < part.num_rows;
    const double alpha = is_row ? item.alpha[row] : 0.0;
    for (int first = 0; first < tile; first += num_groups * pairs) {
      int columns[pairs];
      double weights[pairs];
      bool is_any = false;
#pragma unroll
      for (int q = 0; q < pairs; ++q) {
        const int local_column = tile_column * tile + first + group + q * num_groups;
        const int column = part.first_column + local_column;
        weights[q] = 0.0;
        columns[q] = min(column, n - 1);
        if (is_row && local_column < part.num_columns && column <= row) {
          is_any = true;
          weights[q] =
              alpha * item.alpha[column] - part.inverse[local_row + local_column * part.stride];
          if (row == column) {
            weights[q] *= 0.5;
            sums.add(num_sums - 1, weights[q]);
          }
        }
      }
      if (!__any_sync(0xffffffffU, is_any)) continue;
      forward<pairs, true>(item, program, min(row, n - 1), columns, numbers);
#pragma unroll
      for (int q = 0; q < pairs; ++q) numbers.at(root, q) = weights[q];
      backward<pairs>(item, program, min(row, n - 1), columns, numbers, sums);
    }
  }
  __syncthreads();
  double* out = item.sums + (part.first_block + static_cast<std::int64_t>(blockIdx.x)) * num_sums;
  for (int p = 0; p < num_sums; ++p) {
    double* own = program.room + p * slope_threads;
    for (int width = slope_threads / 2; width > 0; width /= 2) {
      if (static_cast<int>(threadIdx.x) < width) own[threadIdx.x] += own[threadIdx.x + width];
      __syncthreads();
    }
    if (threadIdx.x == 0) out[p] = own[0];
  }
}

// The gradient from the blocks' sums; one block per parameter and item.
__global__ void gradient_kernel(const Item* items, std::int64_t num_blocks, int tiles_per_block) {
  __shared__ double scratch[256];
  const Item& item = items[blockIdx.y];
  const int num_sums = item.num_parameters + 1;
  const int p = static_cast<int>(blockIdx.x);
  if (p >= num_sums) return;
  if (num_blocks == 0) {
    const std::int64_t tiles = (item.num_rows + tile - 1) / tile;
    num_blocks = (tiles * (tiles + 1) / 2 + tiles_per_block - 1) / tiles_per_block;
  }
  double sum = 0.0;
  for (std::int64_t b = threadIdx.x; b < num_blocks; b += blockDim.x) {
    sum += item.sums[b * num_sums + p];
  }
  sum = block_sum(sum, scratch);
  if (threadIdx.x == 0) item.results[first_gradient + p] = sum;
}

// (dK / d parameter) alpha over part of the columns, for the rows of one tile.
template <int pairs>
__global__ void __launch_bounds__(slope_threads)
    products_kernel(const Item* items, const std::int32_t* which) {
  extern __shared__ double shared[];
  const Item& item = items[which[blockIdx.z]];
  const int n = item.num_rows;
  if (!item.wants_information || static_cast<int>(blockIdx.x) * tile >= n ||
      static_cast<int>(blockIdx.y) >= item.num_splits) {
    return;
  }
  const ProgramView program = load_program(item, shared);
  const int num_sums = item.num_parameters;
  for (int p = 0; p < num_sums; ++p) program.room[p * slope_threads + threadIdx.x] = 0.0;
  Sums<pairs> sums(program.room);
  Numbers<pairs> numbers(program.room + num_sums * slope_threads);
  const int root = program.nodes[program.num_nodes - 1].adjoint;
  constexpr int num_groups = slope_threads / tile;
  const int row = static_cast<int>(blockIdx.x) * tile + static_cast<int>(threadIdx.x) % tile;
  const int group = static_cast<int>(threadIdx.x) / tile;
  const int per_split = (n + item.num_splits - 1) / item.num_splits;
  const int begin = static_cast<int>(blockIdx.y) * per_split;
  const int end = min(begin + per_split, n);
  for (int first = begin; first < end; first += num_groups * pairs) {
    int columns[pairs];
    double weights[pairs];
#pragma unroll
    for (int q = 0; q < pairs; ++q) {
      const int column = first + group + q * num_groups;
      columns[q] = min(column, n - 1);
      weights[q] = column < end ? item.alpha[column] : 0.0;
    }
    forward<pairs, true>(item, program, min(row, n - 1), columns, numbers);
#pragma unroll
    for (int q = 0; q < pairs; ++q) numbers.at(root, q) = weights[q];
    backward<pairs>(item, program, min(row, n - 1), columns, numbers, sums);
  }
  __syncthreads();
  if (group > 0 || row >= n) return;
  const std::int64_t whole = static_cast<std::int64_t>(item.num_parameters + 1) * n;
  double* out = item.products + whole + static_cast<std::int64_t>(blockIdx.y) * num_sums * n;
  for (int p = 0; p < num_sums; ++p) {
    const double* own = program.room + p * slope_threads + threadIdx.x;
    double sum = own[0];
    for (int g = 1; g < num_groups; ++g) sum += own[g * tile];
    out[static_cast<std::int64_t>(p) * n + row] = sum;
  }
}

// The sums over all parts, and alpha itself for the noise variance.
__global__ void gather_products_kernel(const Item* items) {
  const Item& item = items[blockIdx.z];
  if (!item.wants_information) return;
  const int n = item.num_rows;
  const int p = static_cast<int>(blockIdx.y);
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (p > item.num_parameters || row >= n) return;
  double* out = item.products + static_cast<std::int64_t>(p) * n + row;
  if (p == item.num_parameters) {
    *out = item.alpha[row];
    return;
  }
  const double* parts = item.products + static_cast<std::int64_t>(item.num_parameters + 1) * n +
                        static_cast<std::int64_t>(p) * n + row;
  double sum = 0.0;
  for (int s = 0; s < item.num_splits; ++s) {
    sum += parts[static_cast<std::int64_t>(s) * item.num_parameters * n];
  }
  *out = sum;
}

// Half the products of all pairs of columns: the average information. A warp for each pair.
__global__ void information_kernel(const Item* items) {
  const Item& item = items[blockIdx.y];
  if (!item.wants_information) return;
  const int d = item.num_parameters + 1;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  int i = 0;
  int j = 0;
  lower_tile(static_cast<std::int64_t>(blockIdx.x) * (blockDim.x / 32) + warp, i, j);
  if (i >= d) return;
  const int n = item.num_rows;
  const double* a = item.whitened + static_cast<std::int64_t>(i) * n;
  const double* b = item.whitened + static_cast<std::int64_t>(j) * n;
  double sum = 0.0;
  for (int k = lane; k < n; k += 32) sum += a[k] * b[k];
  for (int width = 16; width > 0; width /= 2) sum += __shfl_down_sync(0xffffffffU, sum, width);
  if (lane == 0) {
    double* out = item.results + first_gradient + d;
    out[i + j * d] = 0.5 * sum;
    out[j + i * d] = 0.5 * sum;
  }
}

}  // namespace covary::device
