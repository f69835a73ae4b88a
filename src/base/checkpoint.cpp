#include "base/checkpoint.h"

#include <algorithm>
#include <thread>

namespace covary {

std::size_t LongWork::num_threads() const {
  return threads > 0 ? threads : std::max(std::thread::hardware_concurrency(), 1U);
}

void Checkpoint::pass(double amount) {
  if (is_stopped_) throw WorkStopped();
  const std::lock_guard lock(mutex_);
  if (is_stopped_) throw WorkStopped();
  done_ += amount;
  if (work_.progress && amount > 0.0) work_.progress(std::min(done_ / total_, 1.0));
  if (work_.should_stop && work_.should_stop()) {
    is_stopped_ = true;
    throw WorkStopped();
  }
}

}  // namespace covary
