#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <ctime>
#include <exception>
#include <mutex>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>

#include "base/checkpoint.h"

namespace covary {
namespace {

// Of threads that have ended, which this one had work for it.
thread_local double seconds_of_helpers = 0.0;

}  // namespace

void parallel_for(std::size_t num_threads, std::size_t num_tasks,
                  const std::function<void(std::size_t, std::size_t)>& work) {
  num_threads = std::min(num_threads, num_tasks);
  if (num_threads <= 1) {
    for (std::size_t task = 0; task < num_tasks; ++task) {
      StopPoint::pass();
      work(task, 0);
    }
    return;
  }
  std::atomic<std::size_t> next{0};
  std::exception_ptr first_error;
  std::mutex error_mutex;
  const auto run = [&](std::size_t worker) {
    try {
      for (std::size_t task = next++; task < num_tasks; task = next++) {
        StopPoint::pass();
        work(task, worker);
      }
    } catch (...) {
      next = num_tasks;
      const std::lock_guard lock(error_mutex);
      if (!first_error) first_error = std::current_exception();
    }
  };
  std::vector<double> seconds(num_threads, 0.0);
  std::vector<std::jthread> threads;
  threads.reserve(num_threads - 1);
  const StopScope* const scope = StopPoint::scope();
  try {
    for (std::size_t worker = 1; worker < num_threads; ++worker) {
      threads.emplace_back([&, worker] {
        StopPoint::enter(scope);
        run(worker);
        seconds[worker] = thread_cpu_seconds();
      });
    }
  } catch (const std::system_error&) {
    // No memory for a further thread: those that are there do its work.
  }
  run(0);
  threads.clear();  // joins
  seconds_of_helpers += std::accumulate(seconds.begin(), seconds.end(), 0.0);
  if (first_error) std::rethrow_exception(first_error);
}

double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec) +
         seconds_of_helpers;
}

double wall_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace covary
