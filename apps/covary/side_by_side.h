#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include <covary/long_work.h>

#include "interrupt.h"

namespace covary::app {

// Runs work(task) for every task 0 ... num_tasks - 1 on up to num_threads threads, and waits. After
// an exception no further task begins; the first one is thrown again here.
template <class Work>
void side_by_side(std::size_t num_threads, std::size_t num_tasks, const Work& work) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr first;
  const auto take_tasks = [&] {
    const StopScope scope(is_interrupted);
    for (std::size_t task = next++; task < num_tasks; task = next++) {
      try {
        work(task);
      } catch (...) {
        next = num_tasks;
        const std::lock_guard lock(mutex);
        if (!first) first = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < num_threads && i < num_tasks; ++i) threads.emplace_back(take_tasks);
    take_tasks();
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace covary::app
