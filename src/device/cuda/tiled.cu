#include <algorithm>

#include "device/cuda/device.h"
#include "device/cuda/tiles.cuh"

namespace covary::device {
namespace {

int most_tiles(Batch& batch) {
  int most = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) most = std::max(most, batch.item(i).num_tiles);
  return most;
}

unsigned triangle(int n) { return static_cast<unsigned>(n * (n + 1) / 2); }

}  // namespace

void invert_diagonal_blocks(Device& device, const Item& item, int square) {
  const int n = item.num_rows;
  const int num_tiles = (n + tile - 1) / tile;
  const int num_blocks = (n + block_rows - 1) / block_rows;
  const auto of_tiles = static_cast<std::size_t>(num_tiles) * tile_size;
  const auto of_blocks = static_cast<std::size_t>(num_blocks) * block_rows * block_rows;
  const Buffer memory(device.pool, (of_tiles + of_blocks) * sizeof(double));
  Factor factor{};
  factor.matrix = item.matrix;
  factor.stride = item.stride;
  factor.num_rows = n;
  factor.tiles = memory.as<double>();
  factor.blocks = factor.tiles + of_tiles;
  invert_tiles_kernel<<<static_cast<unsigned>(num_tiles), tile_threads, 0, device.stream>>>(factor);
  check(cudaFuncSetAttribute(&invert_blocks_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(invert_blocks_bytes)),
        "shared memory");
  invert_blocks_kernel<<<dim3(block_tiles, static_cast<unsigned>(num_blocks)), tile_threads,
                         invert_blocks_bytes, device.stream>>>(factor);
  place_blocks_kernel<<<static_cast<unsigned>(n), 128, 0, device.stream>>>(factor, item.matrix,
                                                                           square);
  check(cudaGetLastError(), "the inverse");
}

void tiled_values(Device& device, std::span<ValueTask> tasks) {
  std::vector<Place*> places;
  for (const ValueTask& task : tasks) places.push_back(task.place);
  Batch batch(device, places);
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    batch.item(i).diagonal = tasks[i].diagonal;
    batch.item(i).jitter = tasks[i].jitter;
  }
  batch.send(first_gradient);
  launch_gram(device, batch);
  const auto count = static_cast<unsigned>(batch.size());
  const int num_tiles = most_tiles(batch);
  factor_first_kernel<<<count, tile_threads, 0, device.stream>>>(batch.on_device());
  for (int k = 0; k + 1 < num_tiles; ++k) {
    const int below = num_tiles - k - 1;
    panel_kernel<<<dim3(static_cast<unsigned>(below), count), tile_threads, 0, device.stream>>>(
        batch.on_device(), k);
    update_kernel<<<dim3(triangle(below), count), tile_threads, 0, device.stream>>>(
        batch.on_device(), k);
  }
  value_kernel<<<count, 256, 0, device.stream>>>(batch.on_device());
  check(cudaGetLastError(), "the factors");
  batch.fetch();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const double* results = batch.results(i);
    tasks[i].is_factored = results[result_failed] == 0.0 ? 1 : 0;
    tasks[i].mean_diagonal = results[result_mean_diagonal];
    tasks[i].square = results[result_square];
    tasks[i].log_determinant = results[result_log_determinant];
    places[i]->has_value = tasks[i].is_factored != 0;
  }
}

void tiled_gradients(Device& device, std::span<GradientTask> tasks) {
  std::vector<Place*> places;
  for (const GradientTask& task : tasks) places.push_back(task.place);
  Batch batch(device, places);
  std::vector<std::size_t> first_number;  // of each item's sums and products
  std::size_t size = 0;
  std::size_t most_results = first_gradient;
  int most_rows = 0;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    Item& item = batch.item(i);
    const auto d = static_cast<std::size_t>(item.num_parameters) + 1;
    const auto n = static_cast<std::size_t>(item.num_rows);
    const std::size_t tiles = (n + tile - 1) / tile;
    item.wants_information = tasks[i].information != nullptr ? 1 : 0;
    first_number.push_back(size);
    size += tiles * (tiles + 1) / 2 * d;
    if (item.wants_information != 0) {
      size += n * (2 * d + static_cast<std::size_t>(item.num_splits) * (d - 1));
    }
    most_results = std::max(most_results, first_gradient + d + d * d);
    most_rows = std::max(most_rows, item.num_rows);
  }
  const Buffer numbers(device.pool, size * sizeof(double));
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    Item& item = batch.item(i);
    const auto d = static_cast<std::size_t>(item.num_parameters) + 1;
    const auto n = static_cast<std::size_t>(item.num_rows);
    const std::size_t tiles = (n + tile - 1) / tile;
    item.sums = numbers.as<double>() + first_number[i];
    item.whitened = item.sums + tiles * (tiles + 1) / 2 * d;
    item.products = item.whitened + n * d;
  }
  batch.send(most_results);
  take_values(tasks);
  const auto count = static_cast<unsigned>(batch.size());
  const int num_tiles = most_tiles(batch);
  invert_kernel<<<dim3(static_cast<unsigned>(num_tiles), count), tile_threads, 0, device.stream>>>(
      batch.on_device());
  constexpr int threads = 128;
  alpha_kernel<<<dim3(static_cast<unsigned>((most_rows + threads - 1) / threads), count), threads,
                 0, device.stream>>>(batch.on_device());
  launch_products(device, batch);
  constexpr int warps = 8;
  whiten_kernel<<<dim3(static_cast<unsigned>((most_rows + warps - 1) / warps), count), 32 * warps,
                  0, device.stream>>>(batch.on_device());
  launch_information(device, batch);
  product_kernel<<<dim3(triangle(num_tiles), count), tile_threads, 0, device.stream>>>(
      batch.on_device());
  check(cudaGetLastError(), "the inverses");
  const int whole_tiles = (most_rows + tile - 1) / tile;
  launch_contraction(device, batch, triangle(whole_tiles), Part{.tiles_per_block = 1},
                     device.stream);
  launch_gradient(device, batch, 0, 1);
  batch.fetch();
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    const double* results = batch.results(i) + first_gradient;
    const auto d = static_cast<std::size_t>(batch.item(i).num_parameters) + 1;
    std::copy_n(results, d, tasks[i].gradient);
    if (tasks[i].information != nullptr) std::copy_n(results + d, d * d, tasks[i].information);
  }
}

}  // namespace covary::device
