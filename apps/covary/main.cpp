#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <covary/covary.h>

#include "command_line.h"
#include "commands.h"
#include "interrupt.h"
#include "run_output.h"
#include "terminal.h"

namespace {

constexpr int exit_usage = 2;
constexpr int exit_disk = 74;
constexpr int exit_internal = 70;

int complain(const std::string& message, int code) {
  covary::app::print_error(message);
  return code;
}

// Memory is short here.
std::string memory_words(const char* words) {
  try {
    return fmt::format("{}: {}; use fewer rows (--rows) or columns (--inputs), or --threads 1",
                       words, covary::memory_left_text());
  } catch (const std::bad_alloc&) {
    return words;
  }
}

std::string internal_words(const std::exception& error) {
  return fmt::format("internal error: {}; please report it", error.what());
}

int run(int argc, char** argv) {
  CLI::App app{"Finds the structure of a Gaussian process for a table of numbers.", "covary"};
  app.set_version_flag("--version", [] {
    return fmt::format("covary {}\n{}", covary::version, covary::device_sentence());
  });
  app.require_subcommand(1);
  app.get_formatter()->column_width(32);
  app.footer(
      "Run 'covary COMMAND --help' for the options of a command.\n"
      "Exit codes: 0 done, 2 wrong usage, 65 bad data, 66 no such input, 71 too little memory,\n"
      "73 cannot write there, 74 disk trouble, 75 run in use, 129, 130 or 143 ended by a signal.");
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
    return complain(covary::app::complaint_about(app, error), exit_usage);
  }
  return std::fflush(stdout) == 0 && std::ferror(stdout) == 0
             ? 0
             : complain("standard output cannot be written to", exit_disk);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is an error of the write, not our end
  try {
    covary::app::remember_command(argc, argv);
    const covary::StopScope scope(covary::app::is_interrupted);
    return run(argc, argv);
  } catch (const covary::Error& error) {
    return complain(error.what(), covary::exit_code(error.kind()));
  } catch (const covary::app::Interrupted&) {
    return complain(covary::app::last_words(), covary::app::interrupt_exit_code());
  } catch (const covary::WorkStopped&) {
    return complain(covary::app::last_words(), covary::app::interrupt_exit_code());
  } catch (const std::bad_alloc&) {
    return complain(memory_words("there is not enough memory"),
                    covary::exit_code(covary::ErrorKind::memory));
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::resource_unavailable_try_again) {
      return complain(internal_words(error), exit_internal);
    }
    return complain(memory_words("no further thread can be started"),
                    covary::exit_code(covary::ErrorKind::memory));
  } catch (const std::exception& error) {
    return complain(internal_words(error), exit_internal);
  }
}
