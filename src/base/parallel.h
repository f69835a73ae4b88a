#pragma once

#include <cstddef>
#include <functional>

namespace covary {

// Runs work(task, worker) for every task 0 ... num_tasks - 1 on up to num_threads threads, and
// waits. Which worker takes which task is not fixed, so results must depend on the task alone. The
// first exception is thrown again here.
void parallel_for(std::size_t num_threads, std::size_t num_tasks,
                  const std::function<void(std::size_t task, std::size_t worker)>& work);

// CPU time of the calling thread and of those that parallel_for() ran for it, and the clock on the
// wall, in seconds.
double thread_cpu_seconds();
double wall_seconds();

}  // namespace covary
