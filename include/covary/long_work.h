#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>

namespace covary {

// What a step of long work will take, before it begins.
struct WorkEstimate {
  std::size_t num_rows = 0;
  double seconds = 0.0;
  double bytes = 0.0;
};

// How work that may take minutes is done: on how many threads, who may stop it, and who is told how
// far it is. The results depend on none of it. The functions are called by any of the threads, one
// at a time, and must not throw.
struct LongWork {
  std::size_t threads = 0;  // 0: as many as there are cores
  std::function<bool()> should_stop = {};
  std::function<void(const WorkEstimate& estimate)> starting = {};
  // The share that is done, from 0 to 1; from 0 again where a matrix has to be factored again.
  std::function<void(double share)> progress = {};

  std::size_t num_threads() const;  // never 0
};

// Thrown by work that should_stop ended. Nothing is left of it.
class WorkStopped : public std::runtime_error {
 public:
  WorkStopped() : std::runtime_error("the work was stopped") {}
};

// While it lives, whatever this thread does, and those that it has work for it, ends with
// WorkStopped soon after `should_stop` says so: also work that takes no LongWork. Any of the
// threads may ask, several at a time; what stands around it is asked as well.
class StopScope {
 public:
  explicit StopScope(std::function<bool()> should_stop);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;
  StopScope(StopScope&&) = delete;
  StopScope& operator=(StopScope&&) = delete;

 private:
  friend class StopPoint;
  std::function<bool()> should_stop_;
  const StopScope* around_;
};

}  // namespace covary
