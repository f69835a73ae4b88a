#include "base/checkpoint.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace covary {
namespace {

thread_local const StopScope* innermost = nullptr;

}  // namespace

StopScope::StopScope(std::function<bool()> should_stop)
    : should_stop_(std::move(should_stop)), around_(innermost) {
  innermost = this;
}

StopScope::~StopScope() { innermost = around_; }

bool StopPoint::is_stopped() {
  for (const StopScope* scope = innermost; scope != nullptr; scope = scope->around_) {
    if (scope->should_stop_()) return true;
  }
  return false;
}

void StopPoint::pass() {
  if (is_stopped()) throw WorkStopped();
}

const StopScope* StopPoint::scope() { return innermost; }
void StopPoint::enter(const StopScope* scope) { innermost = scope; }

std::size_t LongWork::num_threads() const {
  return threads > 0 ? threads : std::max(std::thread::hardware_concurrency(), 1U);
}

void Checkpoint::pass(double amount) {
  if (is_stopped_) throw WorkStopped();
  const std::lock_guard lock(mutex_);
  done_ += amount;
  if (work_.progress && !is_stopped_) work_.progress(std::min(done_ / total_, 1.0));
  if (is_stopped_ || asks_to_stop()) throw WorkStopped();
}

bool Checkpoint::should_stop() {
  if (is_stopped_) return true;
  const std::lock_guard lock(mutex_);
  return is_stopped_ || asks_to_stop();
}

bool Checkpoint::asks_to_stop() {
  if ((work_.should_stop && work_.should_stop()) || StopPoint::is_stopped()) is_stopped_ = true;
  return is_stopped_;
}

LongWork part_of(const LongWork& work, double from, double to) {
  LongWork part = work;
  if (work.progress) {
    part.progress = [told = work.progress, from, to](double share) {
      told(from + share * (to - from));
    };
  }
  return part;
}

}  // namespace covary
