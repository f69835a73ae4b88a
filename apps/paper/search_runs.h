#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <covary/holdout.h>
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

  double seconds(std::size_t count) const;  // CPU time of the first evaluations and proposals
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
  std::size_t num_iterations = 0;
  std::vector<SearchRun> runs;  // by seed

  std::size_t num_initial() const { return num_evaluations - num_iterations; }
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

// The searches of the paper's section 4 for the plan's sets, presets, methods and seeds. Those
// other than SOT run on until they have had as much CPU time as SOT with the same seed, so that
// all can be compared at equal time.
std::vector<SearchRuns> search_runs(const Plan& plan, const std::vector<PaperData>& sets,
                                    const std::vector<std::string>& methods);

// The same for one variant, one search for each seed, on the data for that seed.
SearchRuns variant_runs(const Plan& plan, const PaperData& data, const SearchVariant& variant,
                        const std::function<Dataset(std::uint64_t seed)>& training);

// The CPU time after which all searches can be compared: that of SOT's shortest run of a data set
// and preset. Infinite if there is none.
double last_time_stamp(const std::vector<SearchRuns>& all, const std::string& data,
                       const std::string& preset);

// Those of one data set, preset and method; null if there are none.
const SearchRuns* find_runs(const std::vector<SearchRuns>& all, const std::string& data,
                            const std::string& preset, const std::string& method);

// How the kernel of an evaluation predicts the test rows, with the parameters of its fit; nothing
// if its covariance matrix cannot be factored.
std::optional<HoldoutFigures> test_figures(const Evaluated& evaluated, const TrainingAndTest& data);

}  // namespace covary::paper
