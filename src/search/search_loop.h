#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include <covary/evidence.h>
#include <covary/grammar.h>
#include <covary/search.h>

#include "base/worker_pool.h"
#include "search/strategy.h"

namespace covary {

struct SearchPlan {
  std::vector<Expression> initial_kernels;
  std::size_t max_evaluations = 0;
  // Kernels under way when the next is proposed, itself included. Results enter the history in the
  // order of proposals, so this number, and not the threads' luck, decides what is known when.
  std::size_t num_under_way = 1;
  std::size_t num_threads = 1;
  std::uint64_t seed = 1;
  bool warm_starts = true;
  double num_rows = 1.0;
  double earlier_wall_seconds = 0.0;         // of the parts of a resumed search
  std::map<std::size_t, SearchRecord> done;  // evaluations of those parts, by index
};

// Algorithm 1 of the paper: propose, evaluate, learn, again; with several evaluations side by side.
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

  const std::vector<SearchRecord>& history() const { return history_; }
  double wall_seconds() const;

 private:
  // One kernel between proposal and history.
  struct Pending {
    SearchRecord record;
    std::future<SearchRecord> outcome;  // not valid if the record is complete already
  };

  bool may_propose() const;
  void ask_for_end(const std::function<std::optional<SearchEnd>()>& should_end);
  bool start_next();
  std::optional<SearchRecord> proposed(std::size_t index);
  void submit(Pending& pending);
  bool finish_oldest(const std::function<std::optional<SearchEnd>()>& should_end);
  void drop_pending();
  std::vector<WarmStart> similar_kernels(const Expression& kernel) const;
  Random random_of(std::size_t index, std::uint64_t purpose) const;

  const Oracle& oracle_;
  Strategy& strategy_;
  SearchPlan plan_;
  std::vector<SearchObserver*> observers_;
  std::atomic<bool>& stop_;
  double begin_;
  std::size_t num_started_ = 0;
  std::optional<SearchEnd> end_;
  std::vector<SearchRecord> history_;
  std::optional<std::size_t> best_;  // in the history
  std::deque<Pending> pending_;
  std::mutex observer_mutex_;
  WorkerPool pool_;  // the last, so that it ends first
};

}  // namespace covary
