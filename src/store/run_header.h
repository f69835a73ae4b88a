#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <covary/version.h>

namespace covary {

// What a run was made with.
struct RunHeader {
  std::string covary_version = version;
  std::uint64_t seed = 1;
  std::vector<std::pair<std::string, std::string>> settings;  // name and value as text, in order
  std::string data_fingerprint;  // of the whole table, in the user's units
  // Of the rows that the model sees, as it sees them. Format 1 does not have these two.
  std::optional<bool> is_scaled = {};
  std::optional<std::string> rows_fingerprint = {};
  std::string created;  // set by RunStore::create()

  bool operator==(const RunHeader&) const = default;
};

// Refuses to go on with a run of other data or other rows of them (Error of kind bad_data), or of
// another seed or other settings (usage), with one sentence that names the first difference. The
// settings named in `may_differ` are not compared; an empty value counts as a setting that was not
// given.
void check_matches(const RunHeader& run, const RunHeader& now, const std::string& folder,
                   std::span<const std::string> may_differ);

}  // namespace covary
