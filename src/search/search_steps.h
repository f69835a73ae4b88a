#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include <covary/evidence.h>
#include <covary/search.h>

#include "search/stopping_rule.h"
#include "search/strategy.h"

namespace covary {

struct SearchPlan {
  std::vector<Expression> initial_kernels;
  std::size_t first_index = 0;           // that evaluations are numbered from
  std::vector<SearchRecord> below = {};  // what fewer rows have said, to start fits from
  std::size_t max_evaluations = 0;
  // The last of them, which are of the best kernel without one of its parts.
  std::size_t num_simplified = 0;
  std::optional<StoppingRule> stopping_rule = {};  // ends it before, where there is one
  bool simplifies_first = false;  // the best of the initial kernels, before others are proposed
  Uniqueness unique = Uniqueness::family;  // which kernels it need not look at again before it does
  // Kernels under way when the next is proposed, itself included. Where results enter the history
  // in the order of proposals, this number, and nobody's luck, decides what is known when.
  std::size_t num_under_way = 1;
  std::size_t num_threads = 1;
  std::uint64_t seed = 1;
  bool warm_starts = true;
  double num_rows = 1.0;
  double earlier_wall_seconds = 0.0;         // of the parts of a resumed search
  std::map<std::size_t, SearchRecord> done;  // evaluations of those parts, by index less the first
};

// Algorithm 1 of the paper without its evaluations: which kernel is next, and what was learnt. Who
// evaluates, and in which order results enter the history, is the caller's affair.
class SearchSteps {
 public:
  using ShouldEnd = std::function<std::optional<SearchEnd>()>;

  // One kernel between proposal and history.
  struct Pending {
    SearchRecord record;
    bool is_done = false;  // by an earlier part of the search
  };

  SearchSteps(Strategy& strategy, SearchPlan plan, std::vector<SearchObserver*> observers);

  // Proposes the next kernel and returns what its evaluation starts from; for one that is done
  // already, without a place to start. Nothing if as many are under way as may be, the plan is
  // done, `should_end` or the stopping rule gave a reason, or no kernel is left as long as nothing
  // more is known.
  struct Step {
    SearchRecord record;
    bool is_done = false;
    std::vector<WarmStart> warm_starts;
  };
  std::optional<Step> next(const ShouldEnd& should_end);

  // In the order of proposals.
  const std::deque<Pending>& pending() const { return pending_; }

  // Gives a pending kernel, with its evidence, its place at the end of the history.
  void add(SearchRecord record);
  void drop(std::size_t index);  // a pending kernel that will have no result
  // What earlier parts have done, at once and without proposing it again, for a history in the
  // order in which results come. Its indices are taken; gaps between them are filled.
  void add_all_done();

  void set_num_under_way(std::size_t number) { plan_.num_under_way = number; }
  // From now on this number of evaluations counts, and no stopping rule.
  void fix_evaluations(std::size_t number);
  // The first reason stays; but time and user may cut short what was under way when nothing more
  // was expected.
  void end(SearchEnd reason);
  bool may_be_cut_short() const { return !end_ || end_ == SearchEnd::nothing_expected; }
  const std::optional<SearchEnd>& ended() const { return end_; }
  // Of the kernels to come, where a stopping rule looks at it.
  std::optional<double> expected_gain() const;
  std::size_t max_evaluations() const { return plan_.max_evaluations; }
  bool has_stopping_rule() const { return plan_.stopping_rule.has_value(); }
  bool has_proposed_all() const { return num_started_ >= plan_.max_evaluations; }

  const std::vector<SearchRecord>& history() const { return history_; }
  const SearchRecord* best() const { return best_ ? &history_[*best_] : nullptr; }
  double wall_seconds() const;

 private:
  bool may_propose() const;
  // Places are counted from 0, and indices from the first index.
  std::size_t next_place() const;
  // The next kernel by the strategy, or this one.
  std::optional<SearchRecord> proposed(std::size_t place, std::optional<Expression> kernel);
  bool is_for_simpler_kernel(std::size_t place) const;
  bool is_nothing_expected() const;
  bool is_simplified_first() const;
  std::optional<Expression> simpler_kernel() const;
  std::vector<WarmStart> starts_of(const Expression& kernel, std::size_t place) const;
  std::vector<WarmStart> similar_kernels(const Expression& kernel) const;
  Random random_of(std::size_t place, std::uint64_t purpose) const;

  Strategy& strategy_;
  SearchPlan plan_;
  std::vector<SearchObserver*> observers_;
  double begin_;
  std::size_t num_started_ = 0;
  std::size_t first_free_ = 0;  // all places below are taken
  std::vector<bool> taken_;     // by what add_all_done() added
  std::optional<SearchEnd> end_;
  std::vector<SearchRecord> history_;
  std::optional<std::size_t> best_;  // in the history
  std::deque<Pending> pending_;
};

}  // namespace covary
