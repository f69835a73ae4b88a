#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <covary/search.h>

#include "plan.h"

namespace covary::paper {

// One evaluation of a search.
struct Evaluated {
  std::string kernel;
  std::optional<double> value_per_row;
  std::vector<double> parameters;
  std::vector<double> weights;  // of the surrogate when the kernel was proposed
  double oracle_seconds = 0.0;  // CPU time
  double acquisition_seconds = 0.0;
};

struct SearchRun {
  std::uint64_t seed = 0;
  std::size_t num_initial = 0;
  std::vector<Evaluated> evaluations;

  double seconds() const;  // CPU time of all evaluations and proposals
  // The index of the best kernel of the first `count`, and of those done after so much CPU time.
  std::optional<std::size_t> best_of_first(std::size_t count) const;
  std::optional<std::size_t> best_after(double seconds) const;
};

// All runs of one way to search one data set, as far as they are there.
struct SearchRuns {
  PaperData data;
  std::string preset;
  std::string method;
  std::size_t num_evaluations = 0;  // of a whole search: the initial set and the iterations
  std::vector<SearchRun> runs;      // by seed
};

// "SOT", "Hellinger", "Greedy", "Tree-GEP", "Random".
std::string title_of_method(const std::string& method);

// A way to search that differs from a preset: what is set beside it.
struct SearchVariant {
  std::string name;  // of its folder
  SearchOptions options;
};
SearchOptions options_of(const Plan& plan, const PaperData& data, const std::string& preset,
                         const std::string& method);
std::size_t num_evaluations_of(const Plan& plan, const SearchOptions& options,
                               const Dataset& training);

// The searches of the paper's section 4 for the plan's sets, presets, methods and seeds. Those
// other than SOT run on until they have had as much CPU time as SOT with the same seed, so that
// all can be compared at equal time.
std::vector<SearchRuns> search_runs(const Plan& plan, const std::vector<PaperData>& sets,
                                    const std::vector<std::string>& methods);

// The same for one variant on given data, one search for each seed.
SearchRuns variant_runs(const Plan& plan, const PaperData& data, const Dataset& training,
                        const SearchVariant& variant);

}  // namespace covary::paper
