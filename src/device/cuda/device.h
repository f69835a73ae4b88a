#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <cusolverDn.h>

#include "device/api.h"
#include "device/cuda/item.h"
#include "device/cuda/memory.h"

// One GPU and what is on it.

namespace covary::device {

// Thrown inside, a status and a message outside.
struct Failure {
  Status status;
  std::string what;
};

void check(cudaError_t error, const char* what);
void check(cublasStatus_t status, const char* what);
void check(cusolverStatus_t status, const char* what);

// Up to so many rows matrices are factored by tiles, many at a time.
inline constexpr std::size_t most_tiled_rows = 2000;
inline bool is_tiled(std::size_t num_rows) { return num_rows <= most_tiled_rows; }

// Memory of a pool for a while.
class Buffer {
 public:
  Buffer() = default;
  Buffer(MemoryPool& pool, std::size_t bytes);  // throws Failure where there is none
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  template <class T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

 private:
  MemoryPool* pool_ = nullptr;
  void* memory_ = nullptr;
};

// Memory of the host that the device can reach, which grows.
class Staging {
 public:
  ~Staging();
  std::byte* room(std::size_t bytes);

 private:
  void* memory_ = nullptr;
  std::size_t size_ = 0;
};

struct Rows {
  Buffer memory;  // columns, then the target
  std::size_t num_rows = 0;
  std::size_t num_columns = 0;
  double constant_variance = 0.0;

  const double* columns() const { return memory.as<double>(); }
  const double* target() const { return columns() + num_columns * num_rows; }
};

struct Place {
  Rows* rows = nullptr;
  Steps steps;
  int pairs = 1;  // that a thread takes at a time where it wants derivatives
  Buffer memory;
  Item item{};                     // what stays the same
  std::vector<double> parameters;  // of the last value
  bool has_value = false;          // a factor that a gradient can go on from
};

// Throws Failure unless all have a value, and takes it from them.
void take_values(std::span<const GradientTask> tasks);

struct Device {
  explicit Device(int index);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  MemoryPool pool;
  int index = 0;
  int num_processors = 0;
  std::size_t shared_bytes = 0;  // that a block can have
  cudaStream_t stream = nullptr;
  cublasHandle_t blas = nullptr;
  // For parts of one computation that do not wait for each other.
  struct Side {
    cudaStream_t stream = nullptr;
    cublasHandle_t blas = nullptr;
    cudaEvent_t done = nullptr;
  };
  std::array<Side, 4> sides;
  cudaEvent_t ready = nullptr;
  cusolverDnHandle_t solver = nullptr;
  cusolverDnParams_t solver_parameters = nullptr;
  Staging upload;
  Staging download;
  std::atomic<bool> is_lost = false;
};

std::unique_ptr<Place> make_place(Device& device, Rows& rows, const Program& program);

// Of places whose matrices are factored by tiles.
void tiled_values(Device& device, std::span<ValueTask> tasks);
void tiled_gradients(Device& device, std::span<GradientTask> tasks);
// Of one large matrix. False if it was stopped.
bool large_value(Device& device, ValueTask& task, const Stop* stop);
bool large_gradient(Device& device, GradientTask& task, const Stop* stop);

// Diagonal blocks of 512 rows of a large factor become their inverses, and there are zeros above
// the diagonal in squares of so many rows.
void invert_diagonal_blocks(Device& device, const Item& item, int square);
double large_factor_seconds(Device& device, std::size_t num_rows);

// One launch over some items, with what they point to: built on the host, sent as a whole.
class Batch {
 public:
  Batch(Device& device, std::span<Place* const> places);

  Item& item(std::size_t i) { return items_[i]; }
  std::size_t size() const { return items_.size(); }
  const std::vector<std::int32_t>& with_pairs(int pairs) const;
  // Sends the items; their results have so many numbers each.
  void send(std::size_t num_results);
  const Item* on_device() const { return device_items_; }
  const std::int32_t* which(int pairs) const { return device_which_[pairs_index(pairs)]; }
  // Waits, and fetches the results.
  const double* results(std::size_t i) const;
  void fetch();
  std::size_t gram_bytes_of(std::size_t i) const;  // of shared memory that a block needs
  std::size_t slope_bytes_of(std::size_t i) const;

 private:
  static std::size_t pairs_index(int pairs) { return pairs == 4 ? 2 : pairs == 2 ? 1 : 0; }

  Device& device_;
  std::span<Place* const> places_;
  std::vector<Item> items_;
  std::vector<std::int32_t> which_[3];
  Buffer memory_;
  Buffer results_;
  std::size_t num_results_ = 0;
  const Item* device_items_ = nullptr;
  const std::int32_t* device_which_[3] = {};
};

void launch_gram(Device& device, Batch& batch);
void launch_products(Device& device, Batch& batch);
void launch_contraction(Device& device, Batch& batch, std::int64_t num_blocks, const Part& part,
                        cudaStream_t stream);
// From so many rows of sums; 0: as many as the lower triangle has groups of tiles.
void launch_gradient(Device& device, Batch& batch, std::int64_t num_blocks, int tiles_per_block);
void launch_information(Device& device, Batch& batch);

}  // namespace covary::device
