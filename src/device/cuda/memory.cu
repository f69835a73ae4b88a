#include <cuda_runtime.h>

#include "device/cuda/memory.h"

namespace covary::device {
namespace {

// In steps of an eighth, so that what is given back fits others.
std::size_t rounded(std::size_t bytes) {
  std::size_t step = 512;
  while (step * 16 <= bytes) step *= 2;
  return (bytes + step - 1) / step * step;
}

}  // namespace

MemoryPool::~MemoryPool() {
  for (const auto& [memory, size] : sizes_) cudaFree(memory);
}

void* MemoryPool::take(std::size_t bytes) {
  // Large ones come rarely, and as they are: there may be no room for an eighth more.
  constexpr std::size_t large = std::size_t{1} << 30U;
  const std::size_t size = bytes < large ? rounded(bytes) : bytes;
  const std::lock_guard lock(mutex_);
  auto& kept = free_[size];
  if (!kept.empty()) {
    void* memory = kept.back();
    kept.pop_back();
    return memory;
  }
  void* memory = nullptr;
  if (cudaMalloc(&memory, size) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    trim();
    if (cudaMalloc(&memory, size) != cudaSuccess) {
      static_cast<void>(cudaGetLastError());
      return nullptr;
    }
  }
  sizes_[memory] = size;
  return memory;
}

void MemoryPool::give_back(void* memory) {
  if (memory == nullptr) return;
  const std::lock_guard lock(mutex_);
  free_[sizes_.at(memory)].push_back(memory);
}

void MemoryPool::trim() {
  for (auto& [size, kept] : free_) {
    for (void* memory : kept) {
      cudaFree(memory);
      sizes_.erase(memory);
    }
    kept.clear();
  }
}

}  // namespace covary::device
