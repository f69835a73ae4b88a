#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace covary {

// Threads that take tasks in the order in which they were submitted. Its end waits for the tasks
// that have begun; those that have not are dropped, and their futures report a broken promise.
class WorkerPool {
 public:
  explicit WorkerPool(std::size_t num_threads);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;
  WorkerPool(WorkerPool&&) = delete;
  WorkerPool& operator=(WorkerPool&&) = delete;

  template <class Task>
  auto submit(Task task) -> std::future<decltype(task())> {
    auto packaged = std::make_shared<std::packaged_task<decltype(task())()>>(std::move(task));
    auto result = packaged->get_future();
    push([packaged] { (*packaged)(); });
    return result;
  }

 private:
  void push(std::function<void()> task);
  void work();

  std::mutex mutex_;
  std::condition_variable has_changed_;
  std::deque<std::function<void()>> tasks_;
  bool is_ending_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace covary
