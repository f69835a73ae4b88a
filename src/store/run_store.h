#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "store/evaluation_row.h"
#include "store/run_contents.h"
#include "store/run_header.h"
#include "store/run_lock.h"
#include "store/sqlite.h"

namespace covary {

// A run on disk: the folder of a search, with run.sqlite in it. docs/run_folder.md describes the
// file. Used by one thread at a time.
class RunStore {
 public:
  // A new run. Throws Error: cannot_write if there is a run or other files already and no `force`,
  // or if the place is not writable; in_use. `force` deletes our own files only.
  static RunStore create(const std::string& folder, RunHeader header, bool force);

  // A run to go on with: no other process can until this one ends. One of an older format becomes
  // one of ours in one step. Throws Error: in_use, no_input, bad_data, cannot_write.
  static RunStore open(const std::string& folder);

  // A run to look at, whether it is in use or not, of this format or an older one. Throws Error:
  // no_input, bad_data.
  static RunStore open_read_only(const std::string& folder);

  const RunHeader& header() const { return header_; }

  // Everything in it at one moment, checked against the seal.
  RunContents contents();
  std::vector<StoredEvaluation> evaluations() { return contents().evaluations; }

  // On disk when it returns, whatever happens to the process or the machine afterwards. Throws
  // Error (disk, cannot_write), which leaves what was stored before as it is, and std::logic_error
  // for an index that is stored already.
  void add(const StoredEvaluation& evaluation);

  // Small named facts, such as `finished`; a new text takes the place of the old one.
  void set_fact(const std::string& name, const std::string& text);
  std::optional<std::string> fact(const std::string& name) const;

  // What a search ended with, in one step: these finalists, the best first, in the place of others,
  // and these facts.
  void finish(const std::vector<StoredEvaluation>& finalists,
              const std::map<std::string, std::string>& facts);

 private:
  RunStore(const std::string& folder, std::optional<RunLock> lock);

  std::optional<RunLock> lock_;  // outlives the database
  Database database_;
  RunHeader header_;
};

}  // namespace covary
