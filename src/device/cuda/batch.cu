#include <algorithm>
#include <cstring>

#include "device/cuda/device.h"
#include "device/cuda/program.cuh"

namespace covary::device {
namespace {

// Each part of an arena begins where any type may.
std::size_t aligned(std::size_t bytes) { return (bytes + 255) / 256 * 256; }

std::size_t slope_bytes(const Steps& steps, int pairs) {
  const std::size_t numbers = static_cast<std::size_t>(steps.num_places) * pairs +
                              static_cast<std::size_t>(steps.num_parameters) + 1;
  return program_bytes(static_cast<int>(steps.nodes.size())) +
         numbers * slope_threads * sizeof(double);
}

std::size_t gram_bytes(const Steps& steps) {
  return program_bytes(static_cast<int>(steps.nodes.size())) +
         static_cast<std::size_t>(steps.max_depth) * gram_pairs * gram_threads * sizeof(double);
}

// More pairs at a time are faster as long as several blocks share a processor.
int pairs_for(const Steps& steps, std::size_t shared_bytes) {
  constexpr std::size_t wanted_blocks = 3;
  for (const int pairs : {4, 2}) {
    if (wanted_blocks * (slope_bytes(steps, pairs) + 1024) <= shared_bytes) return pairs;
  }
  return 1;
}

template <class Kernel>
void allow_shared(const Device& device, Kernel* kernel) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(device.shared_bytes)),
        "shared memory");
}

}  // namespace

std::unique_ptr<Place> make_place(Device& device, Rows& rows, const Program& program) {
  auto place = std::make_unique<Place>();
  place->rows = &rows;
  place->steps = steps_of(program);
  const Steps& steps = place->steps;
  const bool is_small =
      slope_bytes(steps, 1) <= device.shared_bytes && gram_bytes(steps) <= device.shared_bytes;
  if (!is_small) throw Failure{Status::no_memory, "the kernel has too many parts for the device"};
  place->pairs = pairs_for(steps, device.shared_bytes);

  const std::size_t n = rows.num_rows;
  const std::size_t num_tiles = is_tiled(n) ? n / tile + 1 : 0;
  const std::size_t order = is_tiled(n) ? num_tiles * tile : n;
  // Columns of a whole number of vectors; a power of two would send them all through few channels.
  const std::size_t stride = is_tiled(n) ? order : (n + 1) / 2 * 2;
  const std::size_t height = (n + 31) / 32 * 32;
  std::size_t size = 0;
  const auto part = [&](std::size_t count) {
    const std::size_t begin = size;
    size += (count + 31) / 32 * 32;
    return begin;
  };
  const std::size_t matrix = part(stride * order);
  const std::size_t inverses = part(num_tiles * 2 * tile * tile);
  const std::size_t features = part(static_cast<std::size_t>(steps.num_features) * height);
  const std::size_t constants = part(steps.nodes.size() * max_constants);
  const std::size_t alpha = part(n);
  place->memory = Buffer(device.pool, size * sizeof(double));
  auto* memory = place->memory.as<double>();

  Item& item = place->item;
  item.matrix = memory + matrix;
  item.stride = static_cast<std::int64_t>(stride);
  item.num_rows = static_cast<std::int32_t>(n);
  item.num_tiles = static_cast<std::int32_t>(num_tiles);
  item.inverses = memory + inverses;
  item.features = memory + features;
  item.feature_stride = static_cast<std::int64_t>(height);
  item.constants = memory + constants;
  item.num_nodes = static_cast<std::int32_t>(steps.nodes.size());
  item.num_parameters = steps.num_parameters;
  item.columns = rows.columns();
  item.target = rows.target();
  item.constant_variance = rows.constant_variance;
  item.alpha = memory + alpha;
  // A part of the sums of products over all columns: more parts for more blocks, within bounds.
  constexpr std::size_t columns_of_part = 256;
  constexpr std::size_t most_parts = 32;
  item.num_splits = static_cast<std::int32_t>(
      std::clamp<std::size_t>((n + columns_of_part - 1) / columns_of_part, 1, most_parts));
  return place;
}

Batch::Batch(Device& device, std::span<Place* const> places) : device_(device), places_(places) {
  for (std::size_t i = 0; i < places.size(); ++i) {
    items_.push_back(places[i]->item);
    which_[pairs_index(places[i]->pairs)].push_back(static_cast<std::int32_t>(i));
  }
}

const std::vector<std::int32_t>& Batch::with_pairs(int pairs) const {
  return which_[pairs_index(pairs)];
}

void Batch::send(std::size_t num_results) {
  num_results_ = num_results;
  std::size_t bytes = aligned(items_.size() * sizeof(Item));
  const std::size_t first_which = bytes;
  bytes += aligned(items_.size() * sizeof(std::int32_t));
  const std::size_t first_numbers = bytes;
  for (const Place* place : places_) {
    bytes += aligned(place->parameters.size() * sizeof(double)) +
             aligned(place->steps.nodes.size() * sizeof(NodeStep));
  }
  memory_ = Buffer(device_.pool, bytes);
  results_ = Buffer(device_.pool, items_.size() * num_results * sizeof(double));
  auto* target = memory_.as<std::byte>();
  std::byte* source = device_.upload.room(bytes);
  std::size_t next = first_numbers;
  const auto put = [&](const void* data, std::size_t size) {
    std::memcpy(source + next, data, size);
    std::byte* there = target + next;
    next += aligned(size);
    return there;
  };
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const Place& place = *places_[i];
    items_[i].parameters = reinterpret_cast<const double*>(
        put(place.parameters.data(), place.parameters.size() * sizeof(double)));
    items_[i].nodes = reinterpret_cast<const NodeStep*>(
        put(place.steps.nodes.data(), place.steps.nodes.size() * sizeof(NodeStep)));
    items_[i].results = results_.as<double>() + i * num_results;
  }
  std::memcpy(source, items_.data(), items_.size() * sizeof(Item));
  std::size_t next_which = first_which;
  for (std::size_t c = 0; c < 3; ++c) {
    std::memcpy(source + next_which, which_[c].data(), which_[c].size() * sizeof(std::int32_t));
    device_which_[c] = reinterpret_cast<const std::int32_t*>(target + next_which);
    next_which += which_[c].size() * sizeof(std::int32_t);
  }
  device_items_ = reinterpret_cast<const Item*>(target);
  check(cudaMemcpyAsync(target, source, bytes, cudaMemcpyHostToDevice, device_.stream), "upload");
  // Some have no use for all of theirs, and all are fetched.
  check(cudaMemsetAsync(results_.as<void>(), 0, items_.size() * num_results * sizeof(double),
                        device_.stream),
        "results");
}

void Batch::fetch() {
  const std::size_t bytes = items_.size() * num_results_ * sizeof(double);
  check(cudaMemcpyAsync(device_.download.room(bytes), results_.as<double>(), bytes,
                        cudaMemcpyDeviceToHost, device_.stream),
        "download");
  check(cudaStreamSynchronize(device_.stream), "the computation");
}

const double* Batch::results(std::size_t i) const {
  return reinterpret_cast<const double*>(device_.download.room(0)) + i * num_results_;
}

void launch_gram(Device& device, Batch& batch) {
  std::size_t bytes = 0;
  std::size_t most_tiles = 0;
  int most_rows = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Item& item = batch.item(i);
    bytes = std::max(bytes, batch.gram_bytes_of(i));
    most_rows = std::max(most_rows, item.num_rows);
    const auto tiles = static_cast<std::size_t>(
        item.num_tiles > 0 ? item.num_tiles : (item.num_rows + tile - 1) / tile);
    most_tiles = std::max(most_tiles, tiles);
  }
  const auto count = static_cast<unsigned>(batch.size());
  constexpr int threads = 128;
  const auto blocks = static_cast<unsigned>(std::min((most_rows + threads - 1) / threads, 4096));
  prepare_kernel<<<dim3(blocks, count), threads, 0, device.stream>>>(batch.on_device());
  allow_shared(device, &gram_kernel);
  const auto tiles = static_cast<unsigned>(most_tiles * (most_tiles + 1) / 2);
  gram_kernel<<<dim3(tiles, count), gram_threads, bytes, device.stream>>>(batch.on_device());
  diagonal_kernel<<<count, 256, 0, device.stream>>>(batch.on_device());
  check(cudaGetLastError(), "covariances");
}

namespace {

template <int pairs>
void contract(Device& device, Batch& batch, std::int64_t num_blocks, const Part& part,
              cudaStream_t stream) {
  const auto& which = batch.with_pairs(pairs);
  if (which.empty()) return;
  std::size_t bytes = 0;
  for (const std::int32_t i : which) {
    bytes = std::max(bytes, batch.slope_bytes_of(static_cast<std::size_t>(i)));
  }
  allow_shared(device, &contract_kernel<pairs>);
  contract_kernel<pairs>
      <<<dim3(static_cast<unsigned>(num_blocks), static_cast<unsigned>(which.size())),
         slope_threads, bytes, stream>>>(batch.on_device(), batch.which(pairs), part);
}

template <int pairs>
void products(Device& device, Batch& batch, unsigned num_tiles, unsigned num_splits) {
  const auto& which = batch.with_pairs(pairs);
  if (which.empty()) return;
  std::size_t bytes = 0;
  for (const std::int32_t i : which) {
    bytes = std::max(bytes, batch.slope_bytes_of(static_cast<std::size_t>(i)));
  }
  allow_shared(device, &products_kernel<pairs>);
  products_kernel<pairs>
      <<<dim3(num_tiles, num_splits, static_cast<unsigned>(which.size())), slope_threads, bytes,
         device.stream>>>(batch.on_device(), batch.which(pairs));
}

}  // namespace

std::size_t Batch::gram_bytes_of(std::size_t i) const { return gram_bytes(places_[i]->steps); }
std::size_t Batch::slope_bytes_of(std::size_t i) const {
  return slope_bytes(places_[i]->steps, places_[i]->pairs);
}

void launch_contraction(Device& device, Batch& batch, std::int64_t num_blocks, const Part& part,
                        cudaStream_t stream) {
  contract<1>(device, batch, num_blocks, part, stream);
  contract<2>(device, batch, num_blocks, part, stream);
  contract<4>(device, batch, num_blocks, part, stream);
  check(cudaGetLastError(), "the gradient");
}

void launch_gradient(Device& device, Batch& batch, std::int64_t num_blocks, int tiles_per_block) {
  int most = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    most = std::max(most, batch.item(i).num_parameters + 1);
  }
  gradient_kernel<<<dim3(static_cast<unsigned>(most), static_cast<unsigned>(batch.size())), 256, 0,
                    device.stream>>>(batch.on_device(), num_blocks, tiles_per_block);
  check(cudaGetLastError(), "the gradient");
}

void launch_products(Device& device, Batch& batch) {
  int most_rows = 0;
  int most_splits = 0;
  int most_parameters = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Item& item = batch.item(i);
    if (item.wants_information == 0) continue;
    most_rows = std::max(most_rows, item.num_rows);
    most_splits = std::max(most_splits, item.num_splits);
    most_parameters = std::max(most_parameters, item.num_parameters);
  }
  if (most_rows == 0) return;
  const auto tiles = static_cast<unsigned>((most_rows + tile - 1) / tile);
  products<1>(device, batch, tiles, static_cast<unsigned>(most_splits));
  products<2>(device, batch, tiles, static_cast<unsigned>(most_splits));
  products<4>(device, batch, tiles, static_cast<unsigned>(most_splits));
  constexpr int threads = 128;
  gather_products_kernel<<<dim3(static_cast<unsigned>((most_rows + threads - 1) / threads),
                                static_cast<unsigned>(most_parameters + 1),
                                static_cast<unsigned>(batch.size())),
                           threads, 0, device.stream>>>(batch.on_device());
  check(cudaGetLastError(), "derivatives");
}

void launch_information(Device& device, Batch& batch) {
  int most = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (batch.item(i).wants_information != 0)
      most = std::max(most, batch.item(i).num_parameters + 1);
  }
  if (most == 0) return;
  constexpr int warps = 4;
  const int num_pairs = most * (most + 1) / 2;
  information_kernel<<<dim3(static_cast<unsigned>((num_pairs + warps - 1) / warps),
                            static_cast<unsigned>(batch.size())),
                       32 * warps, 0, device.stream>>>(batch.on_device());
  check(cudaGetLastError(), "the information");
}

}  // namespace covary::device
