#pragma once

#include <string>

#include <covary/ensemble.h>

namespace covary::app {

// The folder of a run: `out`, or DATA.covary beside DATA.csv.
std::string run_folder_of(const std::string& data, const std::string& out);

// Writes the report of a run that has ended. Whether there is one: hours of search are not to end
// with an error because its model has more parts than can be told apart.
bool write_report(const std::string& folder, const Ensemble& model);

}  // namespace covary::app
