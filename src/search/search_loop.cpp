#include "search/search_loop.h"

#include <chrono>
#include <utility>

namespace covary {

SearchLoop::SearchLoop(const Oracle& oracle, Strategy& strategy, SearchPlan plan,
                       std::vector<SearchObserver*> observers, std::atomic<bool>& stop)
    : oracle_(oracle),
      observers_(std::move(observers)),
      stop_(stop),
      num_threads_(plan.num_threads),
      steps_(strategy, std::move(plan), observers_),
      pool_(num_threads_) {}

SearchLoop::~SearchLoop() { stop_ = true; }

SearchEnd SearchLoop::run(const std::function<std::optional<SearchEnd>()>& should_end) {
  while (true) {
    while (std::optional<SearchSteps::Step> step = steps_.next(should_end)) {
      if (!step->is_done) submit(std::move(*step));
    }
    if (steps_.pending().empty() || !finish_oldest(should_end)) break;
  }
  drop_pending();
  return steps_.ended().value_or(SearchEnd::max_evaluations);
}

void SearchLoop::submit(SearchSteps::Step step) {
  const std::size_t index = step.record.index;
  outcomes_[index] = pool_.submit([this, step = std::move(step)]() mutable {
    SearchRecord& record = step.record;
    record.evidence = oracle_.evaluate(record.kernel, step.warm_starts);
    record.wall_seconds = wall_seconds();
    // What was cut short is no result: a resumed search does it again, from the beginning.
    if (record.evidence.outcome != FitOutcome::interrupted) {
      const std::lock_guard lock(observer_mutex_);
      for (SearchObserver* observer : observers_) observer->evaluated(record);
    }
    return std::move(record);
  });
}

// Waits for the oldest kernel under way and gives it its place in the history. False if the search
// has to end without it.
bool SearchLoop::finish_oldest(const std::function<std::optional<SearchEnd>()>& should_end) {
  SearchRecord record = steps_.pending().front().record;
  if (const auto outcome = outcomes_.find(record.index); outcome != outcomes_.end()) {
    constexpr auto patience = std::chrono::milliseconds(20);
    while (outcome->second.wait_for(patience) != std::future_status::ready) {
      if (steps_.may_be_cut_short()) {
        if (const std::optional<SearchEnd> end = should_end()) steps_.end(*end);
      }
      const std::optional<SearchEnd>& end = steps_.ended();
      if (end == SearchEnd::interrupted || end == SearchEnd::time_limit) stop_ = true;
    }
    std::future<SearchRecord> finished = std::move(outcome->second);
    outcomes_.erase(outcome);
    record = finished.get();
  }
  if (record.evidence.outcome == FitOutcome::interrupted) {
    // The kernels behind it may be done and on disk; the history ends where it has a gap.
    return false;
  }
  const std::lock_guard lock(observer_mutex_);
  steps_.add(std::move(record));
  return true;
}

// Behind a gap in the history nothing counts in this part of the search. Evaluations that have not
// begun would otherwise do so as soon as the finalists may be fitted.
void SearchLoop::drop_pending() {
  stop_ = !outcomes_.empty();
  for (auto& [index, outcome] : outcomes_) outcome.get();
  outcomes_.clear();
}

}  // namespace covary
