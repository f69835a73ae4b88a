#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include <covary/dataset.h>
#include <covary/grammar.h>
#include <covary/search.h>

#include "grammar/structure_prior.h"
#include "search/ladder.h"
#include "search/search_steps.h"
#include "search/strategy.h"

namespace covary {

// What an earlier part of the same search left.
struct SearchStart {
  std::map<std::size_t, SearchRecord> done = {};  // by index, of all rungs
  double wall_seconds = 0.0;
  std::optional<TargetTransform> transform = {};  // that its evaluations are of
};

// Throws Error where so much is to be tried that nobody would see the end, and nobody has said
// where it is to be.
void check_has_end(const SearchOptions& options, const SearchSpace& space);

// The part of a time limit that is kept for fitting the finalists once more.
inline constexpr double share_for_finalists = 0.1;

// What every search is made of, whoever evaluates its kernels.
class SearchSetup {
 public:
  // Without data there are no threads of ours to plan for, and no method that looks at data.
  // Throws Error where a setting does not fit.
  SearchSetup(const InputNames& inputs, const Dataset* data, SearchOptions options,
              SearchStart start);
  SearchSetup(const SearchSetup&) = delete;  // the strategy looks at the grammar in it
  SearchSetup& operator=(const SearchSetup&) = delete;

  const SearchOptions& options() const { return options_; }
  Strategy& strategy() { return *strategy_; }
  const SearchPlan& plan() const { return plan_; }
  std::size_t num_rungs() const { return ladder_.size(); }
  const std::vector<Rung>& ladder() const { return ladder_; }
  const Rung& rung() const { return ladder_[rung_]; }  // where kernels are compared now
  bool is_on_top() const { return rung_ + 1 == ladder_.size(); }
  // To the next rung, whose plan plan() is then: `history` is that of the rung that is left, and
  // `seconds` those of the search so far. False, and nothing changes, where there is none, nothing
  // to take up or too little time.
  bool climb(std::vector<SearchRecord> history, double seconds);
  // What the rung that refines will take at the most, for each of its kernels.
  WorkEstimate refinement() const;
  std::size_t num_steps() const { return num_steps_; }
  std::size_t num_usual_evaluations() const {
    return covary::num_usual_evaluations(grammar_.space());
  }

  // Fixes the transform of the target, which options and earlier part leave open. Takes some
  // evaluations, whose time the plan reckons with.
  void choose_transform(const Dataset& data, const std::atomic<bool>* interrupted);

  // How a kernel is evaluated on this rung, and how a finalist is once more: from more starts,
  // beside the place that is known. Where there are several rungs, the best were fitted on each,
  // and none is fitted once more.
  EvidenceOptions evidence() const;
  EvidenceOptions evidence_of_finalists() const;
  bool are_finalists_refitted() const { return ladder_.size() == 1; }
  // When a rung has to end, as a share of a time limit: after half of what is left, the last but
  // for what is kept for the finalists, or for conditioning the model on many rows.
  double share_of_time() const;

  // What an evaluation says in this search: with how probable the kernel is by itself.
  Evidence judged(const Expression& kernel, Evidence evidence) const;

 private:
  // On the rung that refines: as many as take no more operations than all evaluations below, so
  // that it does not depend on the clock; with a time limit, as many as fit into what is left.
  std::size_t affordable_steps(const Rung& above, double seconds) const;
  void add_rough_rest(const std::vector<SearchRecord>& below);
  void plan_for_rows();
  void take_done();

  SearchOptions options_;
  Grammar grammar_;
  std::vector<Rung> ladder_;
  std::size_t rung_ = 0;
  // Whatever they are worth below: what is to be in the model, what many rows alone can show.
  std::vector<Expression> always_promoted_;
  std::map<std::size_t, SearchRecord> done_above_;
  double operations_ = 0.0;    // of all evaluations on the rungs that were left
  std::size_t num_steps_ = 0;  // of the refinement
  double seconds_left_ = 0.0;  // for it; 0: no limit
  double share_for_the_end_ = share_for_finalists;  // of a time limit
  std::unique_ptr<Strategy> strategy_;
  SearchPlan plan_;
  std::optional<StructurePrior> structure_prior_;
};

// Evaluates kernels as a search judges them.
class JudgingOracle final : public Oracle {
 public:
  // The setup is not owned.
  JudgingOracle(std::unique_ptr<Oracle> oracle, const SearchSetup& setup)
      : oracle_(std::move(oracle)), setup_(setup) {}

  Evidence evaluate(const Expression& kernel,
                    const std::vector<WarmStart>& warm_starts) const override {
    return setup_.judged(kernel, oracle_->evaluate(kernel, warm_starts));
  }

 private:
  std::unique_ptr<Oracle> oracle_;
  const SearchSetup& setup_;
};

// Whom it concerns: the search is on another rung.
void tell_of_climb(const SearchSetup& setup, const std::vector<SearchObserver*>& observers);

// The best kernels of the records, no two of them the same polynomial.
std::vector<Finalist> best_of(const std::vector<SearchRecord>& records, std::size_t count);

// Those of the highest rung that has any; behind what was refined, those that it was chosen from.
// Throws if there are none: SearchInterrupted, or an Error
// that says why.
std::vector<Finalist> finalists_of(const std::vector<SearchRecord>& history,
                                   const std::vector<Rung>& ladder, const SearchOptions& options,
                                   SearchEnd end);

// A better optimum replaces the known one, and with it the value.
void improve(Finalist& finalist, const Evidence& again);

// `finalists` in any order.
SearchResult result_of(const Dataset& data, const SearchOptions& options,
                       std::vector<Finalist> finalists, std::vector<SearchRecord> history,
                       double wall_seconds, SearchEnd end, const LongWork& work = {});

}  // namespace covary
