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
#include "search/search_steps.h"
#include "search/strategy.h"

namespace covary {

// What an earlier part of the same search left.
struct SearchStart {
  std::map<std::size_t, SearchRecord> done = {};
  double wall_seconds = 0.0;
  std::optional<TargetTransform> transform = {};  // that its evaluations are of
};

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
  SearchPlan& plan() { return plan_; }  // to be moved from
  std::size_t num_usual_evaluations() const {
    return covary::num_usual_evaluations(grammar_.space());
  }

  // Fixes the transform of the target, which options and earlier part leave open. Takes some
  // evaluations, whose time the plan reckons with.
  void choose_transform(const Dataset& data, const std::atomic<bool>* interrupted);

  // How a kernel of the search is evaluated, and how a finalist is once more: from more starts,
  // beside the place that is known.
  EvidenceOptions evidence() const;
  EvidenceOptions evidence_of_finalists() const;

  // What an evaluation says in this search: with how probable the kernel is by itself.
  Evidence judged(const Expression& kernel, Evidence evidence) const;

 private:
  Grammar grammar_;
  SearchOptions options_;
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

// The part of a time limit that is kept for fitting the finalists once more.
inline constexpr double share_for_finalists = 0.1;

// The best kernels of the history, no two of them the same polynomial. Throws if there are none:
// SearchInterrupted, or an Error that says why.
std::vector<Finalist> finalists_of(const std::vector<SearchRecord>& history,
                                   const SearchOptions& options, SearchEnd end);

// A better optimum replaces the known one, and with it the value.
void improve(Finalist& finalist, const Evidence& again);

// `finalists` in any order.
SearchResult result_of(const Dataset& data, const SearchOptions& options,
                       std::vector<Finalist> finalists, std::vector<SearchRecord> history,
                       double wall_seconds, SearchEnd end);

}  // namespace covary
