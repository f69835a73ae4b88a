#include "base/worker_pool.h"

namespace covary {

WorkerPool::WorkerPool(std::size_t num_threads) {
  for (std::size_t i = 0; i < num_threads; ++i) threads_.emplace_back([this] { work(); });
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
