#include "run_output.h"

#include <fmt/format.h>

#include <covary/covary.h>

#include "commands.h"
#include "terminal.h"

namespace covary::app {

std::string run_folder_of(const std::string& data, const std::string& out) {
  if (!out.empty()) return out;
  std::string stem = data;
  const std::string extension = ".csv";
  if (stem.size() > extension.size() && stem.ends_with(extension)) {
    stem.resize(stem.size() - extension.size());
  }
  return stem + ".covary";
}

bool write_report(const std::string& folder, const Ensemble& model) {
  try {
    save_report(make_report(folder, model), report_path(folder));
    return true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::bad_data) throw;
    print_note(fmt::format("no report was written: {}", error.what()));
    return false;
  }
}

}  // namespace covary::app
