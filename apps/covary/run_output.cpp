#include "run_output.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>

#include <covary/covary.h>

#include "commands.h"
#include "interrupt.h"
#include "terminal.h"

namespace covary::app {
namespace {

std::vector<std::string> command;

// The command once more, to go on from where it was.
std::string resume_command() {
  std::vector<std::string> words = command;
  std::erase(words, "--force");  // it would begin anew
  if (std::find(words.begin(), words.end(), "--resume") == words.end()) {
    words.insert(std::find(words.begin(), words.end(), "--"), "--resume");
  }
  for (std::string& word : words) word = quoted_for_shell(word);
  return fmt::format("{}", fmt::join(words, " "));
}

}  // namespace

void remember_command(int argc, char** argv) { command.assign(argv, argv + argc); }

void tell_how_to_go_on(const std::string& folder) {
  set_last_words(fmt::format("interrupted; everything finished is kept in {}; go on with: {}",
                             shown_source(folder), resume_command()));
}

namespace {

// A pipe, or a name for one of the open files of this process, which is no place.
bool has_no_folder(const std::string& path) {
  struct stat status = {};
  if (path == "-" || path == "/dev/stdin" || path.starts_with("/dev/fd/") ||
      path.starts_with("/proc/")) {
    return true;
  }
  return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode);
}

}  // namespace

std::string run_folder_of(const std::string& data, const std::string& out) {
  if (!out.empty()) return out;
  if (has_no_folder(data)) {
    throw Error(ErrorKind::usage,
                fmt::format("--out: name the folder for the run; there is none beside {}",
                            data == "-" ? "standard input" : shown_source(data)));
  }
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
