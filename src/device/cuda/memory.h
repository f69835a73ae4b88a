#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <vector>

namespace covary::device {

// Memory of the device, kept when it is given back: places come and go by the thousand. Threads may
// share it.
class MemoryPool {
 public:
  MemoryPool() = default;
  MemoryPool(const MemoryPool&) = delete;
  MemoryPool& operator=(const MemoryPool&) = delete;
  ~MemoryPool();

  // Null where there is none, not even after everything kept has been given back.
  void* take(std::size_t bytes);
  void give_back(void* memory);

 private:
  void trim();

  std::mutex mutex_;
  std::map<std::size_t, std::vector<void*>> free_;  // by size
  std::map<void*, std::size_t> sizes_;
};

}  // namespace covary::device
