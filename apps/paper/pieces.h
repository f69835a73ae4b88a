#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "plan.h"

namespace covary::paper {

// A part of an experiment whose result is kept in one file as soon as it is there, so that an
// interrupted experiment goes on with the next one.
struct Piece {
  std::string name;      // path below OUT/pieces, such as "search/airline/default-sot/seed-1"
  std::string settings;  // what the result depends on; a result for other settings is not used
  std::function<nlohmann::json()> compute;  // on one thread
};

// The results in the order of the pieces: from disk, or computed on plan.threads threads with a
// progress bar on stderr. Throws app::Interrupted after Ctrl-C, with what is finished kept; with
// plan.finished_only, what is not there is left empty.
std::vector<std::optional<nlohmann::json>> results_of(const Plan& plan, const std::string& title,
                                                      const std::vector<Piece>& pieces);

// Writes a whole file or none.
void write_file(const std::string& path, const std::string& text);

}  // namespace covary::paper
