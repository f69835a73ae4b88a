#pragma once

#include <covary/dataset.h>
#include <covary/expression.h>
#include <covary/search.h>

#include "search/search_setup.h"
#include "store/run_store.h"

namespace covary {

// The folder of a search: every evaluation goes into the run's store the moment it is done, and a
// resumed search finds it there.
class RunFolder {
 public:
  // Throws Error before any work: bad settings, and a place that cannot be written to. What is
  // refused leaves no folder behind.
  RunFolder(const Dataset& data, SearchOptions options, RunOptions run);

  RunFolder(const RunFolder&) = delete;  // the keeper looks at it
  RunFolder& operator=(const RunFolder&) = delete;

  const SearchOptions& options() const { return options_; }  // those that the run goes on with
  const Dataset& data() const { return data_; }              // with the inputs that it keeps
  SearchStart start();                                       // what earlier parts left
  SearchObserver& keeper() { return keeper_; }               // to be told of every evaluation
  // Model and closing facts of a search that was not interrupted; adds the figures of the holdout.
  void finish(SearchResult& result);

 private:
  class Keeper final : public SearchObserver {
   public:
    explicit Keeper(RunFolder& folder) : folder_(folder) {}
    void evaluated(const SearchRecord& record) override;

   private:
    RunFolder& folder_;
  };

  RunOptions run_;
  SearchOptions options_;
  Dataset data_;
  RunStore store_;
  InputNames inputs_;
  Keeper keeper_;
};

}  // namespace covary
