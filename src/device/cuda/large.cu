#include <algorithm>
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

void invert_small(Device& device, double* a, std::int64_t n, std::int64_t stride) {
  std::size_t device_bytes = 0;
  std::size_t host_bytes = 0;
  check(cusolverDnXtrtri_bufferSize(device.solver, CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_NON_UNIT, n,
                                    CUDA_R_64F, a, stride, &device_bytes, &host_bytes),
        "the inverse");
  const Buffer work(device.pool, device_bytes + 512);
  const Buffer info(device.pool, sizeof(int));
  std::vector<std::byte> host_work(host_bytes + 1);
  check(cusolverDnXtrtri(device.solver, CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_NON_UNIT, n, CUDA_R_64F,
                         a, stride, work.as<void>(), device_bytes, host_work.data(), host_bytes,
                         info.as<int>()),
        "the inverse");
}

// A triangle's inverse in its place, by halves: L21 := -L22^-1 L21 L11^-1.
bool invert(Device& device, double* a, std::int64_t n, std::int64_t stride, const Stop* stop) {
  constexpr std::int64_t small = 1024;
  if (n <= small) {
    invert_small(device, a, n, stride);
    return true;
  }
  const std::int64_t half = (n / 2 + tile - 1) / tile * tile;
  double* lower_left = a + half;
  double* lower_right = a + half + half * stride;
  if (!invert(device, a, half, stride, stop)) return false;
  if (!invert(device, lower_right, n - half, stride, stop)) return false;
  constexpr std::int64_t many = 8192;
  if (n > many && is_stopped(stop)) return false;
  check(cublasDtrmm_64(device.blas, CUBLAS_SIDE_RIGHT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                       CUBLAS_DIAG_NON_UNIT, n - half, half, &minus_one, a, stride, lower_left,
                       stride, lower_left, stride),
        "the inverse");
  check(cublasDtrmm_64(device.blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N,
                       CUBLAS_DIAG_NON_UNIT, n - half, half, &one, lower_right, stride, lower_left,
                       stride, lower_left, stride),
        "the inverse");
  return true;
}

constexpr std::int64_t panel = 2048;  // rows and columns of K^-1 that are there at a time

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
  const Buffer inverse(device.pool, static_cast<std::size_t>(panel * panel) * sizeof(double));
  check(cudaMemsetAsync(sums.as<void>(), 0, static_cast<std::size_t>(num_blocks * d) * sizeof(double),
                        device.stream),
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
  if (!invert(device, item.matrix, n, item.stride, stop)) return false;
  std::int64_t first_block = 0;
  for (std::int64_t j = 0; j < n; j += panel) {
    for (std::int64_t i = j; i < n; i += panel) {
      const std::int64_t rows = std::min(panel, n - i);
      const std::int64_t columns = std::min(panel, n - j);
      const double* left = item.matrix + i + i * item.stride;
      const double* right = item.matrix + i + j * item.stride;
      check(cublasDgemm_64(device.blas, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, n - i, &one, left,
                           item.stride, right, item.stride, &zero, inverse.as<double>(), panel),
            "the inverse");
      const Part part{.inverse = inverse.as<double>(),
                      .stride = panel,
                      .first_row = static_cast<std::int32_t>(i),
                      .first_column = static_cast<std::int32_t>(j),
                      .num_rows = static_cast<std::int32_t>(rows),
                      .num_columns = static_cast<std::int32_t>(columns),
                      .tiles_per_block = tiles_per_block,
                      .first_block = static_cast<std::int32_t>(first_block)};
      launch_contraction(device, batch, panel_blocks, part);
      first_block += panel_blocks;
      if (i + panel < n && i % (4 * panel) == 0 && is_stopped(stop)) return false;
    }
  }
  launch_gradient(device, batch, num_blocks, 1);
  batch.fetch();
  const double* results = batch.results(0) + first_gradient;
  std::copy_n(results, d, task.gradient);
  if (task.information != nullptr) std::copy_n(results + d, d * d, task.information);
  return true;
}

}  // namespace covary::device
