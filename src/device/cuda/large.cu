#include <algorithm>
#include <cstddef>
#include <vector>

#include "device/cuda/blocks.cuh"
#include "device/cuda/device.h"

// One matrix of many rows at a time, in place, by cuBLAS and cuSOLVER.

namespace covary::device {
namespace {

constexpr double one = 1.0;
constexpr double minus_one = -1.0;
constexpr double zero = 0.0;

__global__ void large_value_kernel(const Item* items) {
  __shared__ double scratch[1024];
  const Item& item = items[0];
  double square = 0.0;
  double log_determinant = 0.0;
  for (int i = threadIdx.x; i < item.num_rows; i += blockDim.x) {
    square += item.alpha[i] * item.alpha[i];
    log_determinant += 2.0 * log(item.matrix[i + i * item.stride]);
  }
  square = block_sum(square, scratch);
  log_determinant = block_sum(log_determinant, scratch);
  if (threadIdx.x == 0) {
    item.results[result_square] = square;
    item.results[result_log_determinant] = log_determinant;
  }
}

// A matrix to be factored, of no meaning.
__global__ void smooth_kernel(double* matrix, std::int64_t n) {
  const std::int64_t column = blockIdx.x;
  for (std::int64_t row = column + threadIdx.x; row < n; row += blockDim.x) {
    const double distance = 30.0 * static_cast<double>(row - column) / static_cast<double>(n);
    matrix[row + column * n] = exp(-distance) + (row == column ? 0.1 : 0.0);
  }
}

bool is_stopped(const Stop* stop) {
  return stop != nullptr && stop->should_stop != nullptr && stop->should_stop(stop->context) != 0;
}

// 0 if there is a factor.
int factor(Device& device, const Item& item) {
  const std::int64_t n = item.num_rows;
  std::size_t device_bytes = 0;
  std::size_t host_bytes = 0;
  check(cusolverDnXpotrf_bufferSize(device.solver, device.solver_parameters, CUBLAS_FILL_MODE_LOWER,
                                    n, CUDA_R_64F, item.matrix, item.stride, CUDA_R_64F,
                                    &device_bytes, &host_bytes),
        "the factor");
  const Buffer work(device.pool, device_bytes + 512);
  const Buffer info(device.pool, sizeof(int));
  std::vector<std::byte> host_work(host_bytes + 1);
  check(cusolverDnXpotrf(device.solver, device.solver_parameters, CUBLAS_FILL_MODE_LOWER, n,
                         CUDA_R_64F, item.matrix, item.stride, CUDA_R_64F, work.as<void>(),
                         device_bytes, host_work.data(), host_bytes, info.as<int>()),
        "the factor");
  int result = 0;
  check(cudaMemcpyAsync(&result, info.as<int>(), sizeof result, cudaMemcpyDeviceToHost,
                        device.stream),
        "the factor");
  check(cudaStreamSynchronize(device.stream), "the factor");
  return result;
}

constexpr std::int64_t block_rows = 512;  // of diagonal blocks that are inverted by themselves
constexpr std::int64_t panel = 1024;      // rows and columns of K^-1 that are there at a time

// How many columns or rows of a product are made at a time, of so many.
std::int64_t width_for(std::int64_t size) { return size > 4 * panel ? panel : block_rows; }

void copy_back(Device& device, const double* from, std::int64_t from_stride, double* to,
               std::int64_t to_stride, std::int64_t rows, std::int64_t columns) {
  check(
      cudaMemcpy2DAsync(to, static_cast<std::size_t>(to_stride) * sizeof(double), from,
                        static_cast<std::size_t>(from_stride) * sizeof(double),
                        static_cast<std::size_t>(rows) * sizeof(double),
                        static_cast<std::size_t>(columns), cudaMemcpyDeviceToDevice, device.stream),
      "the inverse");
}

// A triangle's inverse in its place, by halves, its diagonal blocks being inverted already:
// L21 := -L22^-1 L21 L11^-1. Products of triangles are products of matrices by parts, each made
// beside, for a part needs only what has not been overwritten.
bool invert(Device& device, double* a, std::int64_t n, std::int64_t stride, double* room,
            const Stop* stop) {
  if (n <= block_rows) return true;
  // Where there are zeros above the diagonal: in whole panels.
  const std::int64_t half = n > panel ? (n + panel - 1) / panel / 2 * panel : block_rows;
  const std::int64_t rest = n - half;
  double* lower_left = a + half;
  double* lower_right = a + half + half * stride;
  if (!invert(device, a, half, stride, room, stop)) return false;
  if (!invert(device, lower_right, rest, stride, room, stop)) return false;
  constexpr std::int64_t many = 8192;
  for (std::int64_t c = 0; c < half; c += width_for(half)) {
    const std::int64_t width = std::min(width_for(half), half - c);
    check(cublasDgemm_64(device.blas, CUBLAS_OP_N, CUBLAS_OP_N, rest, width, half - c, &minus_one,
                         lower_left + c * stride, stride, a + c + c * stride, stride, &zero, room,
                         rest),
          "the inverse");
    copy_back(device, room, rest, lower_left + c * stride, stride, rest, width);
  }
  if (n > many && is_stopped(stop)) return false;
  const std::int64_t step = width_for(rest);
  for (std::int64_t r = (rest - 1) / step * step; r >= 0; r -= step) {
    const std::int64_t height = std::min(step, rest - r);
    check(cublasDgemm_64(device.blas, CUBLAS_OP_N, CUBLAS_OP_N, height, half, r + height, &one,
                         lower_right + r, stride, lower_left, stride, &zero, room, height),
          "the inverse");
    copy_back(device, room, height, lower_left + r, stride, height, half);
  }
  return true;
}

// The sides begin when all before is done, and what comes after waits for them.
void fork(Device& device) {
  check(cudaEventRecord(device.ready, device.stream), "the order");
  for (const Device::Side& side : device.sides) {
    check(cudaStreamWaitEvent(side.stream, device.ready, 0), "the order");
  }
}
void join(Device& device) {
  for (const Device::Side& side : device.sides) {
    check(cudaEventRecord(side.done, side.stream), "the order");
    check(cudaStreamWaitEvent(device.stream, side.done, 0), "the order");
  }
}

std::int64_t blocks_for(std::int64_t tiles, int tiles_per_block) {
  return (tiles + tiles_per_block - 1) / tiles_per_block;
}

}  // namespace

double large_factor_seconds(Device& device, std::size_t num_rows) {
  const Buffer matrix(device.pool, num_rows * num_rows * sizeof(double));
  Item item{};
  item.matrix = matrix.as<double>();
  item.stride = static_cast<std::int64_t>(num_rows);
  item.num_rows = static_cast<std::int32_t>(num_rows);
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  check(cudaEventCreate(&begin), "the clock");
  check(cudaEventCreate(&end), "the clock");
  float best = 0.0F;
  for (int attempt = 0; attempt < 3; ++attempt) {  // the first one warms up
    smooth_kernel<<<static_cast<unsigned>(num_rows), 256, 0, device.stream>>>(item.matrix,
                                                                              item.stride);
    check(cudaEventRecord(begin, device.stream), "the clock");
    static_cast<void>(factor(device, item));
    check(cudaEventRecord(end, device.stream), "the clock");
    check(cudaEventSynchronize(end), "the clock");
    float milliseconds = 0.0F;
    check(cudaEventElapsedTime(&milliseconds, begin, end), "the clock");
    if (attempt == 1 || (attempt > 1 && milliseconds < best)) best = milliseconds;
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  return 1e-3 * static_cast<double>(best);
}

bool large_value(Device& device, ValueTask& task, const Stop* stop) {
  Place* place = task.place;
  Batch batch(device, {&place, 1});
  Item& item = batch.item(0);
  item.diagonal = task.diagonal;
  item.jitter = task.jitter;
  batch.send(first_gradient);
  const std::int64_t n = item.num_rows;
  check(cudaMemcpyAsync(item.alpha, item.target, static_cast<std::size_t>(n) * sizeof(double),
                        cudaMemcpyDeviceToDevice, device.stream),
        "the target");
  launch_gram(device, batch);
  if (is_stopped(stop)) return false;
  const bool is_factored = factor(device, item) == 0;
  if (is_factored) {
    check(cublasDtrsv_64(device.blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, n,
                         item.matrix, item.stride, item.alpha, 1),
          "the solution");
    large_value_kernel<<<1, 1024, 0, device.stream>>>(batch.on_device());
    check(cudaGetLastError(), "the value");
  }
  batch.fetch();
  const double* results = batch.results(0);
  task.is_factored = is_factored && results[result_failed] == 0.0 ? 1 : 0;
  task.mean_diagonal = results[result_mean_diagonal];
  task.square = results[result_square];
  task.log_determinant = results[result_log_determinant];
  place->has_value = task.is_factored != 0;
  return !is_stopped(stop);
}

bool large_gradient(Device& device, GradientTask& task, const Stop* stop) {
  Place* place = task.place;
  Batch batch(device, {&place, 1});
  Item& item = batch.item(0);
  const std::int64_t n = item.num_rows;
  const std::int64_t d = item.num_parameters + 1;
  item.wants_information = task.information != nullptr ? 1 : 0;
  // Rows of sums: a square of tiles for each panel, or half of it on the diagonal.
  constexpr int tiles_per_block = 4;
  const std::int64_t num_panels = (n + panel - 1) / panel;
  constexpr std::int64_t panel_tiles = panel / tile;
  const std::int64_t panel_blocks = blocks_for(panel_tiles * panel_tiles, tiles_per_block);
  const std::int64_t num_blocks = num_panels * (num_panels + 1) / 2 * panel_blocks;
  const Buffer sums(device.pool, static_cast<std::size_t>(num_blocks * d) * sizeof(double));
  const Buffer inverse(
      device.pool, device.sides.size() * static_cast<std::size_t>(panel * panel) * sizeof(double));
  check(cudaMemsetAsync(sums.as<void>(), 0,
                        static_cast<std::size_t>(num_blocks * d) * sizeof(double), device.stream),
        "the gradient");
  item.sums = sums.as<double>();
  Buffer products;
  if (item.wants_information != 0) {
    const std::int64_t count = n * (d + item.num_splits * (d - 1));
    products = Buffer(device.pool, static_cast<std::size_t>(count) * sizeof(double));
    item.products = products.as<double>();
    item.whitened = item.products;  // in place
  }
  batch.send(static_cast<std::size_t>(first_gradient + d + d * d));
  take_values({&task, 1});
  check(cublasDtrsv_64(device.blas, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_T, CUBLAS_DIAG_NON_UNIT, n,
                       item.matrix, item.stride, item.alpha, 1),
        "the solution");
  if (item.wants_information != 0) {
    launch_products(device, batch);
    check(cublasDtrsm_64(device.blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                         CUBLAS_DIAG_NON_UNIT, n, d, &one, item.matrix, item.stride, item.products,
                         n),
          "the information");
    launch_information(device, batch);
  }
  if (is_stopped(stop)) return false;
  invert_diagonal_blocks(device, item, static_cast<int>(panel));
  {
    const Buffer room(device.pool, static_cast<std::size_t>(panel * n) * sizeof(double));
    if (!invert(device, item.matrix, n, item.stride, room.as<double>(), stop)) return false;
    fork(device);
  }
  bool is_over = false;
  std::int64_t first_block = 0;
  std::size_t turn = 0;
  for (std::int64_t j = 0; j < n && !is_over; j += panel) {
    for (std::int64_t i = j; i < n; i += panel) {
      const Device::Side& side = device.sides[turn];
      double* own = inverse.as<double>() + static_cast<std::int64_t>(turn) * panel * panel;
      turn = (turn + 1) % device.sides.size();
      const std::int64_t rows = std::min(panel, n - i);
      const std::int64_t columns = std::min(panel, n - j);
      const double* left = item.matrix + i + i * item.stride;
      const double* right = item.matrix + i + j * item.stride;
      check(cublasDgemm_64(side.blas, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, n - i, &one, left,
                           item.stride, right, item.stride, &zero, own, panel),
            "the inverse");
      const Part part{.inverse = own,
                      .stride = panel,
                      .first_row = static_cast<std::int32_t>(i),
                      .first_column = static_cast<std::int32_t>(j),
                      .num_rows = static_cast<std::int32_t>(rows),
                      .num_columns = static_cast<std::int32_t>(columns),
                      .tiles_per_block = tiles_per_block,
                      .first_block = static_cast<std::int32_t>(first_block)};
      launch_contraction(device, batch, panel_blocks, part, side.stream);
      first_block += panel_blocks;
    }
    is_over = is_stopped(stop);
  }
  join(device);
  if (is_over) {
    check(cudaStreamSynchronize(device.stream), "the gradient");
    return false;
  }
  launch_gradient(device, batch, num_blocks, 1);
  batch.fetch();
  const double* results = batch.results(0) + first_gradient;
  std::copy_n(results, d, task.gradient);
  if (task.information != nullptr) std::copy_n(results + d, d * d, task.information);
  return true;
}

}  // namespace covary::device
