#pragma once

#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "optim/maximize.h"

namespace covary {

// What walks uphill have in common: the trial that is to be looked at, the best place so far, and
// when it is enough.
class UphillStepper : public MaximizingStepper {
 public:
  bool is_done() const final { return is_done_; }
  std::span<const double> place() const final { return trial_; }
  const MaximizeSummary& summary() const final { return summary_; }

  Want tell_value(double value) final {
    if (has_begun_) return judge(value);
    has_begun_ = true;
    summary_.value = value;
    return std::isfinite(value) ? first_want_ : finish(StopReason::invalid_start);
  }

 protected:
  UphillStepper(std::span<const double> start, MaximizeOptions options, Want first_want)
      : options_(std::move(options)), trial_(start.begin(), start.end()), first_want_(first_want) {
    summary_.place = trial_;
  }

  virtual Want judge(double value) = 0;  // of the trial

  Want finish(StopReason reason) {
    summary_.reason = reason;
    is_done_ = true;
    return Want::nothing;
  }

  // Whether there may be another iteration; if not, the walk has ended.
  bool may_go_on() {
    if (summary_.num_iterations >= options_.max_iterations) {
      finish(StopReason::iteration_limit);
    } else if (options_.should_stop && options_.should_stop()) {
      finish(StopReason::stopped);
    }
    return !is_done_;
  }

  // Whether the place that was just found better is the last one that may be looked for.
  bool is_last_iteration() const { return summary_.num_iterations + 1 >= options_.max_iterations; }
  Want finish_at_limit() {
    ++summary_.num_iterations;
    return finish(StopReason::iteration_limit);
  }

  // Whether a gain and the one before it were too small to go on for.
  bool has_converged(double gain) {
    num_small_gains_ = gain < options_.tolerance ? num_small_gains_ + 1 : 0;
    return num_small_gains_ == 2;
  }

  // NOLINTBEGIN(*-non-private-member-variables-in-classes): for its two heirs alone
  MaximizeOptions options_;
  MaximizeSummary summary_;
  std::vector<double> trial_;
  // NOLINTEND(*-non-private-member-variables-in-classes)

 private:
  Want first_want_;  // of the start
  int num_small_gains_ = 0;
  bool has_begun_ = false;
  bool is_done_ = false;
};

}  // namespace covary
