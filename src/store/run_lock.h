#pragma once

#include <string>

namespace covary {

// One process per run at a time: a lock on the file run.lock in the run's folder, which says who
// holds it. The system drops the lock when the holder ends, however it ends; the file stays.
class RunLock {
 public:
  // Throws Error: in_use, naming the holder, or cannot_write.
  explicit RunLock(const std::string& folder);
  ~RunLock();
  RunLock(RunLock&& other) noexcept;
  RunLock& operator=(RunLock&&) = delete;
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  int file_;
};

// "2025-11-15 06:57:54 UTC"
std::string utc_now();

}  // namespace covary
