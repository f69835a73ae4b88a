#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include <covary/evidence.h>
#include <covary/search.h>

#include "base/worker_pool.h"
#include "search/search_steps.h"

namespace covary {

// Algorithm 1 of the paper on the threads of this machine: propose, evaluate, learn, again; with
// several evaluations side by side. Results enter the history in the order of proposals.
class SearchLoop {
 public:
  // `stop` is set by the loop to end evaluations that are under way; the oracle must look at it.
  SearchLoop(const Oracle& oracle, Strategy& strategy, SearchPlan plan,
             std::vector<SearchObserver*> observers, std::atomic<bool>& stop);
  ~SearchLoop();  // ends evaluations that are under way
  SearchLoop(const SearchLoop&) = delete;
  SearchLoop& operator=(const SearchLoop&) = delete;
  SearchLoop(SearchLoop&&) = delete;
  SearchLoop& operator=(SearchLoop&&) = delete;

  // Until the plan is done, `should_end` gives a reason, or no kernel is left. Nothing is under way
  // afterwards.
  SearchEnd run(const std::function<std::optional<SearchEnd>()>& should_end);

  const std::vector<SearchRecord>& history() const { return steps_.history(); }
  double wall_seconds() const { return steps_.wall_seconds(); }
  std::optional<double> expected_gain() const { return steps_.expected_gain(); }

 private:
  void submit(SearchSteps::Step step);
  bool finish_oldest(const std::function<std::optional<SearchEnd>()>& should_end);
  void drop_pending();

  const Oracle& oracle_;
  std::vector<SearchObserver*> observers_;
  std::atomic<bool>& stop_;
  std::mutex observer_mutex_;
  std::size_t num_threads_;
  SearchSteps steps_;
  std::map<std::size_t, std::future<SearchRecord>> outcomes_;  // of pending kernels, by index
  WorkerPool pool_;                                            // the last, so that it ends first
};

}  // namespace covary
