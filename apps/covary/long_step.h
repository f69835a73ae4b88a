#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include <covary/long_work.h>

namespace covary::app {

// A step that may take minutes, on stderr: what it will take before it begins, where that is worth
// a line, and on a terminal how far it is. Ctrl-C ends it. Must outlive the work.
class LongStep {
 public:
  explicit LongStep(bool is_quiet);
  ~LongStep();
  LongStep(const LongStep&) = delete;
  LongStep& operator=(const LongStep&) = delete;
  LongStep(LongStep&&) = delete;
  LongStep& operator=(LongStep&&) = delete;

  // What is told before the fits of an evaluation of data of so many rows.
  std::function<void(const WorkEstimate&)> fitting(std::size_t num_rows) const;
  LongWork conditioning();
  LongWork predicting();

 private:
  LongWork work(const std::string& name);
  void show(const std::string& name, double share);

  bool is_quiet_;
  bool is_terminal_;
  int percent_shown_ = -1;
};

}  // namespace covary::app
