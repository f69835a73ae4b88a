#include <algorithm>
#include <utility>

#include "device/cuda/device.h"

namespace covary::device {
namespace {

constexpr const char* no_memory = "the device has no more memory";

}  // namespace

void check(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  const bool is_memory = error == cudaErrorMemoryAllocation;
  throw Failure{
      is_memory ? Status::no_memory : Status::lost,
      is_memory ? std::string(no_memory) : std::string(what) + ": " + cudaGetErrorString(error)};
}

void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  const bool is_memory = status == CUBLAS_STATUS_ALLOC_FAILED;
  throw Failure{is_memory ? Status::no_memory : Status::lost,
                is_memory ? std::string(no_memory)
                          : std::string(what) + ": cuBLAS status " +
                                std::to_string(static_cast<int>(status))};
}

void check(cusolverStatus_t status, const char* what) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  const bool is_memory = status == CUSOLVER_STATUS_ALLOC_FAILED;
  throw Failure{is_memory ? Status::no_memory : Status::lost,
                is_memory ? std::string(no_memory)
                          : std::string(what) + ": cuSOLVER status " +
                                std::to_string(static_cast<int>(status))};
}

Buffer::Buffer(MemoryPool& pool, std::size_t bytes) : pool_(&pool), memory_(pool.take(bytes)) {
  if (memory_ == nullptr) throw Failure{Status::no_memory, no_memory};
}
Buffer::Buffer(Buffer&& other) noexcept
    : pool_(other.pool_), memory_(std::exchange(other.memory_, nullptr)) {}
Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(pool_, other.pool_);
  std::swap(memory_, other.memory_);
  return *this;
}
Buffer::~Buffer() {
  if (memory_ != nullptr) pool_->give_back(memory_);
}

Staging::~Staging() {
  if (memory_ != nullptr) cudaFreeHost(memory_);
}
std::byte* Staging::room(std::size_t bytes) {
  if (bytes > size_) {
    if (memory_ != nullptr) cudaFreeHost(memory_);
    memory_ = nullptr;
    size_ = 0;
    const std::size_t wanted = bytes + bytes / 2;
    check(cudaMallocHost(&memory_, wanted), "memory of the host");
    size_ = wanted;
  }
  return static_cast<std::byte*>(memory_);
}

void take_values(std::span<const GradientTask> tasks) {
  for (const GradientTask& task : tasks) {
    if (!task.place->has_value) {
      throw Failure{Status::no_memory, "a step of the device was cut short"};
    }
  }
  for (const GradientTask& task : tasks) task.place->has_value = false;
}

Device::Device(int which) : index(which) {
  check(cudaSetDevice(index), "the device");
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, index), "the device");
  num_processors = properties.multiProcessorCount;
  shared_bytes = properties.sharedMemPerBlockOptin;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream");
  check(cublasCreate(&blas), "cuBLAS");
  check(cublasSetStream(blas, stream), "cuBLAS");
  check(cudaEventCreateWithFlags(&ready, cudaEventDisableTiming), "an event");
  for (Side& side : sides) {
    check(cudaStreamCreateWithFlags(&side.stream, cudaStreamNonBlocking), "a stream");
    check(cublasCreate(&side.blas), "cuBLAS");
    check(cublasSetStream(side.blas, side.stream), "cuBLAS");
    check(cudaEventCreateWithFlags(&side.done, cudaEventDisableTiming), "an event");
  }
  check(cusolverDnCreate(&solver), "cuSOLVER");
  check(cusolverDnSetStream(solver, stream), "cuSOLVER");
  check(cusolverDnCreateParams(&solver_parameters), "cuSOLVER");
}

Device::~Device() {
  if (solver_parameters != nullptr) cusolverDnDestroyParams(solver_parameters);
  if (solver != nullptr) cusolverDnDestroy(solver);
  for (const Side& side : sides) {
    if (side.blas != nullptr) cublasDestroy(side.blas);
    if (side.done != nullptr) cudaEventDestroy(side.done);
    if (side.stream != nullptr) cudaStreamDestroy(side.stream);
  }
  if (ready != nullptr) cudaEventDestroy(ready);
  if (blas != nullptr) cublasDestroy(blas);
  if (stream != nullptr) cudaStreamDestroy(stream);
}

}  // namespace covary::device
