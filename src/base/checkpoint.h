#pragma once

#include <atomic>
#include <mutex>

#include <covary/long_work.h>

namespace covary {

// Where a thread asks whether the StopScope that it works in is to end: in every loop that may take
// more than some tenths of a second and whose steps take more than some microseconds.
class StopPoint {
 public:
  static bool is_stopped();
  static void pass();  // throws WorkStopped

  // The scope of this thread, for another one to work in as long as this one waits for it.
  static const StopScope* scope();
  static void enter(const StopScope* scope);
};

// Where the threads of one piece of long work look up between its steps: one of them asks whether
// to stop and says how far all of them are, and the others hear of it.
class Checkpoint {
 public:
  // `total`: of the amounts that pass() will be given.
  Checkpoint(const LongWork& work, double total) : work_(work), total_(total) {}

  // After a step that was so much of the total. Throws WorkStopped. Steps should take no longer
  // than some tenths of a second: so long nobody looks.
  void pass(double amount);

  // The same question without an answer by throwing: for work of its own inside of a step.
  bool should_stop();

 private:
  bool asks_to_stop();  // with the lock held

  const LongWork& work_;
  double total_;
  std::mutex mutex_;
  double done_ = 0.0;
  std::atomic<bool> is_stopped_ = false;
};

// Work of which all is a part of other work, which it takes from one share to another.
LongWork part_of(const LongWork& work, double from, double to);

}  // namespace covary
