#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <covary/covary.h>

#include "commands.h"
#include "interrupt.h"
#include "terminal.h"

namespace {

constexpr int exit_usage = 2;
constexpr int exit_disk = 74;
constexpr int exit_internal = 70;
constexpr int exit_interrupted = 130;

int complain(const std::string& message, int code) {
  covary::app::print_error(message);
  return code;
}

// The command once more, to go on from where it was.
std::string resume_command(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  std::erase(words, "--force");  // it would begin anew
  if (std::find(words.begin(), words.end(), "--resume") == words.end()) {
    words.insert(std::find(words.begin(), words.end(), "--"), "--resume");
  }
  for (std::string& word : words) word = covary::app::quoted_for_shell(word);
  return fmt::format("{}", fmt::join(words, " "));
}

int run(int argc, char** argv) {
  CLI::App app{"Finds the structure of a Gaussian process for a table of numbers.", "covary"};
  app.set_version_flag("--version", [] {
    return fmt::format("covary {}\n{}", covary::version, covary::device_sentence());
  });
  app.require_subcommand(1);
  app.get_formatter()->column_width(32);
  app.footer("Run 'covary COMMAND --help' for the options of a command.");
  covary::app::add_search(app);
  covary::app::add_evaluate(app);
  covary::app::add_predict(app);
  covary::app::add_forecast(app);
  covary::app::add_explain(app);
  covary::app::add_report(app);
  covary::app::add_describe(app);
  covary::app::add_kernel(app);
  covary::app::add_distance(app);
  try {
    app.parse(argc, argv);  // runs the command
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return complain(fmt::format("{}; see 'covary --help'", error.what()), exit_usage);
  }
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0
             ? 0
             : complain("standard output cannot be written to", exit_disk);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is an error of the write, not our end
  try {
    return run(argc, argv);
  } catch (const covary::Error& error) {
    return complain(error.what(), covary::exit_code(error.kind()));
  } catch (const covary::app::Interrupted& interrupted) {
    const std::string& folder = interrupted.run;
    return complain(
        folder.empty()
            ? std::string("interrupted")
            : fmt::format("interrupted; everything finished is kept in {}; go on with: {}",
                          covary::shown_source(folder), resume_command(argc, argv)),
        exit_interrupted);
  } catch (const covary::WorkStopped&) {
    return complain("interrupted", exit_interrupted);
  } catch (const std::bad_alloc&) {
    return complain("there is not enough memory for this table; read fewer columns or rows",
                    covary::exit_code(covary::ErrorKind::memory));
  } catch (const std::exception& error) {
    return complain(fmt::format("internal error: {}; please report it", error.what()),
                    exit_internal);
  }
}
