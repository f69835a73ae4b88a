#include "linalg/blas_place.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <vector>

#include <fmt/format.h>
#include <sys/mman.h>

#include <covary/error.h>
#include <covary/message_text.h>

#include "base/machine_memory.h"
#include "linalg/lapack.h"

// How OpenBLAS takes a buffer and gives it back; one that hides them has every call take its own.
extern "C" {
__attribute__((weak)) void* blas_memory_alloc(int process);
__attribute__((weak)) void blas_memory_free(void* buffer);
}

namespace covary {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{128} << 20U;
// Whoever has the last of it for a buffer has none for anything else.
constexpr std::size_t bytes_beside = std::size_t{24} << 20U;
// OpenBLAS has a table of so many at the least, on machines of few cores.
constexpr std::size_t most_places = 50;

// Each worker evaluates its own kernel, so one BLAS call uses one thread. Set before first use.
[[maybe_unused]] const bool blas_is_pinned = [] {
  openblas_set_num_threads(1);
  return true;
}();

bool has_room(std::size_t bytes) {
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (address == MAP_FAILED) return false;
  munmap(address, bytes);
  return true;
}

class Places {
 public:
  void take() {
    if (!try_take() && !bring_one()) wait_for_one();
  }

  void give_back() {
    ++num_free_;
    if (num_waiting_ == 0) return;
    { const std::lock_guard lock(mutex_); }  // whoever looked before is asleep by now
    has_changed_.notify_all();
  }

 private:
  bool try_take() {
    std::size_t free = num_free_;
    while (free > 0) {
      if (num_free_.compare_exchange_weak(free, free - 1)) return true;
    }
    return false;
  }

  void wait_for_one() {
    std::unique_lock lock(mutex_);
    ++num_waiting_;
    has_changed_.wait(lock, [this] { return try_take(); });
    --num_waiting_;
  }

  // One more, for the caller; or one that has become free. With no call under way OpenBLAS has as
  // many buffers to give as there are places, and the one beyond is new.
  bool bring_one() {
    const std::lock_guard growing(growing_);
    if (try_take()) return true;
    if (is_complete_) return false;
    for (std::size_t i = 0; i < num_places_; ++i) wait_for_one();
    const bool has_one_more = has_room(buffer_bytes + bytes_beside);
    if (has_one_more) {
      take_buffers(num_places_ + 1);
      ++num_places_;
    }
    is_complete_ = num_places_ == most_places || (!has_one_more && num_places_ > 0);
    for (std::size_t i = has_one_more ? 1 : 0; i < num_places_; ++i) give_back();
    if (num_places_ > 0) return has_one_more;
    throw Error(ErrorKind::memory,
                fmt::format("the linear algebra needs {} of memory to begin with, and {}; give the "
                            "program more (ulimit -v)",
                            gigabytes(buffer_bytes + bytes_beside), memory_left_text()));
  }

  static void take_buffers(std::size_t count) {
    if (blas_memory_alloc == nullptr || blas_memory_free == nullptr) return;
    std::vector<void*> buffers;
    for (std::size_t i = 0; i < count; ++i) buffers.push_back(blas_memory_alloc(1));
    for (void* buffer : buffers) blas_memory_free(buffer);
  }

  std::atomic<std::size_t> num_free_ = 0;
  std::atomic<std::size_t> num_waiting_ = 0;
  std::mutex mutex_;
  std::condition_variable has_changed_;
  std::mutex growing_;
  std::size_t num_places_ = 0;  // with growing_ held
  bool is_complete_ = false;
};

Places& places() {
  static Places all;
  return all;
}

}  // namespace

BlasPlace::BlasPlace() { places().take(); }
BlasPlace::~BlasPlace() { places().give_back(); }

}  // namespace covary
