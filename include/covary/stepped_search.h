#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <covary/dataset.h>
#include <covary/evidence.h>
#include <covary/expression.h>
#include <covary/search.h>

namespace covary {

// One kernel to evaluate: make_oracle(data, evidence)->evaluate(kernel, warm_starts).
struct SearchTask {
  std::size_t number = 0;  // its name in SteppedSearch::tell() and fail()
  Expression kernel;
  std::vector<WarmStart> warm_starts = {};
  EvidenceOptions evidence = {};
  bool is_finalist = false;  // fitted once more after the search
};

// A search whose kernels are evaluated by the caller: by other processes and machines, or by a
// measure of his own. Proposals take into account what is under way. Results are learnt from in the
// order in which they are told; with SearchOptions::deterministic in the order of proposals, which
// makes the search the same as search() with that option, whoever evaluates. SearchOptions::threads
// does not count. Used by one thread at a time.
class SteppedSearch {
 public:
  // With `run`, evaluations are kept in its folder as they are told. Arguments are copied, but for
  // the observers.
  SteppedSearch(const Dataset& data, const SearchOptions& options,
                const std::optional<RunOptions>& run = {},
                const std::vector<SearchObserver*>& observers = {});
  // Without data, for measures of the caller's own.
  SteppedSearch(const InputNames& inputs, const SearchOptions& options);
  ~SteppedSearch();
  SteppedSearch(SteppedSearch&&) noexcept;
  SteppedSearch& operator=(SteppedSearch&&) noexcept;

  // The next kernel, if fewer than `max_under_way` have been asked for and not told. Nothing while
  // that depends on results still to come, and once is_done().
  std::optional<SearchTask> ask(std::size_t max_under_way = 1);

  // The result of a task. Throws Error if none of that number is under way.
  void tell(std::size_t number, const Evidence& evidence);
  // A value of the caller's own, larger is better. Such a search ends without a model, and in no
  // folder.
  void tell(std::size_t number, double value);
  // A kernel that has no value, and why. The history has it as failed.
  void fail(std::size_t number, const std::string& message = "");

  // No more kernels; those under way are forgotten. Of a finished search: no effect.
  void stop(SearchEnd reason = SearchEnd::interrupted);
  bool is_done() const;

  // What kernels are evaluated on: the data with the inputs that the search keeps. None without
  // data.
  const std::optional<Dataset>& data() const;
  std::size_t num_planned() const;
  std::vector<SearchRecord> history() const;  // in the order of proposals
  std::optional<SearchRecord> best() const;
  SearchEnd end() const;  // why it ended; REQUIRES: is_done()

  // What search() returns, of all that was told. Writes the model and closing facts of the folder
  // unless it was interrupted. Throws Error for values of the caller's own.
  SearchResult result();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace covary
