#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "store/run_header.h"
#include "store/run_lock.h"
#include "store/sqlite.h"

namespace covary {

// One evaluation as it is kept. Its doubles come back bit for bit. REQUIRES: none is NaN.
struct StoredEvaluation {
  std::size_t index = 0;        // the place in the history: proposals are numbered 0, 1, 2, ...
  std::string kernel;           // text that parses back
  std::optional<double> value;  // of the criterion; none if the evaluation failed
  std::string outcome;          // word of to_string(FitOutcome)
  std::string message;
  bool hessian_repaired = false;
  double log_marginal_likelihood = 0.0;
  double log_prior = 0.0;
  double log_posterior = 0.0;
  double jitter = 0.0;
  std::vector<double> parameters;
  std::size_t num_starts = 0;
  std::size_t num_distinct_optima = 0;
  std::size_t value_evaluations = 0;
  std::size_t gradient_evaluations = 0;
  double seconds = 0.0;              // CPU time of the evaluation
  double wall_seconds = 0.0;         // since the run began, summed over its resumed parts
  double acquisition_seconds = 0.0;  // CPU time spent to propose it
  std::string origin;                // "initial", "proposed", "final", ...
  std::optional<double> predicted_mean;
  std::optional<double> predicted_sd;
  std::vector<double> weights;  // of the distances when it was proposed; may be empty

  bool operator==(const StoredEvaluation&) const = default;
};

// A run on disk: the folder of a search, with run.sqlite in it. docs/run_folder.md describes the
// file. Used by one thread at a time.
class RunStore {
 public:
  // A new run. Throws Error: cannot_write if there is a run or other files already and no `force`,
  // or if the place is not writable; in_use. `force` deletes our own files only.
  static RunStore create(const std::string& folder, RunHeader header, bool force);

  // A run to go on with: no other process can until this one ends. Throws Error: in_use, no_input,
  // bad_data, cannot_write.
  static RunStore open(const std::string& folder);

  // A run to look at, whether it is in use or not. Throws Error: no_input, bad_data.
  static RunStore open_read_only(const std::string& folder);

  const RunHeader& header() const { return header_; }

  // In the order of their index. Indices may be missing if evaluations ended out of order.
  std::vector<StoredEvaluation> evaluations();

  // On disk when it returns, whatever happens to the process or the machine afterwards. Throws
  // Error (disk, cannot_write), which leaves what was stored before as it is, and std::logic_error
  // for an index that is stored already.
  void add(const StoredEvaluation& evaluation);

  // Small named facts, such as `finished`; a new text takes the place of the old one.
  void set_fact(const std::string& name, const std::string& text);
  std::optional<std::string> fact(const std::string& name) const;

 private:
  RunStore(const std::string& folder, std::optional<RunLock> lock);

  std::optional<RunLock> lock_;  // outlives the database
  Database database_;
  RunHeader header_;
};

}  // namespace covary
