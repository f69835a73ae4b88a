#pragma once

#include <string>

#include <covary/ensemble.h>

namespace covary::app {

// The folder of a run: `out`, or DATA.covary beside DATA.csv.
std::string run_folder_of(const std::string& data, const std::string& out);

// Ctrl-C is answered from here on with where the run is and the command that goes on with it; of
// the words that main() was given.
void tell_how_to_go_on(const std::string& folder);
void remember_command(int argc, char** argv);

// Writes the report of a run that has ended. Whether there is one: hours of search are not to end
// with an error because its model has more parts than can be told apart.
bool write_report(const std::string& folder, const Ensemble& model);

}  // namespace covary::app
