#include "base/worker_pool.h"

#include <system_error>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/message_text.h>

namespace covary {

WorkerPool::WorkerPool(std::size_t num_threads) {
  threads_.reserve(num_threads);
  try {
    for (std::size_t i = 0; i < num_threads; ++i) threads_.emplace_back([this] { work(); });
  } catch (const std::system_error&) {
    if (!threads_.empty()) return;  // fewer do the same
    throw Error(ErrorKind::memory,
                fmt::format("no thread can be started: {}; allow the program more memory (ulimit "
                            "-v) or threads (ulimit -u)",
                            memory_left_text()));
  }
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
    tasks_.clear();
  }
  has_changed_.notify_all();
  threads_.clear();  // joins
}

void WorkerPool::push(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  has_changed_.notify_one();
}

void WorkerPool::work() {
  while (true) {
    std::function<void()> task;
    {
      std::unique_lock lock(mutex_);
      has_changed_.wait(lock, [this] { return is_ending_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      task = std::move(tasks_.front());
      tasks_.pop_front();
    }
    task();
  }
}

}  // namespace covary
