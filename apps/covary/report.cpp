// covary report: the page of a run, written again.
#include <memory>
#include <string>

#include <fmt/format.h>

#include <covary/covary.h>

#include "command_line.h"
#include "commands.h"

namespace covary::app {
namespace {

struct ReportFlags {
  std::string run;
  std::string out;
  ExplainOptions options;
  bool json = false;
};

void run_report(const ReportFlags& flags) {
  if (flags.json && !flags.out.empty()) {
    throw Error(ErrorKind::usage, "--out does not go with --json, which prints to stdout");
  }
  if (!flags.out.empty()) {
    check_is_none_of(flags.out, "--out", {flags.run + "/run.sqlite", flags.run + "/model.json"});
  }
  const ReportModel report = make_report(flags.run, flags.options);
  if (flags.json) {
    fmt::print("{}\n", report_to_json(report));
    return;
  }
  const std::string path = flags.out.empty() ? report_path(flags.run) : flags.out;
  save_report(report, path);
  fmt::print("{}\n", path);
}

}  // namespace

std::string report_path(const std::string& run) { return run + "/report.html"; }

void add_report(CLI::App& app) {
  CLI::App* command = app.add_subcommand("report", "Write the report of a run again.");
  const auto flags = std::make_shared<ReportFlags>();
  command->add_option("RUN", flags->run, "Folder of the run.")->required();
  add_named(*command, "--out", flags->out, "the name of a file",
            "File to write. Default: report.html in the run's folder.")
      ->type_name("FILE");
  add_seed(*command, flags->options.seed,
           "Seed of the draws behind p-values and of random folds. Default: 1.");
  command->add_flag("--json", flags->json, "Print the same facts and figures as one JSON object.");
  command->callback([flags] { run_report(*flags); });
}

}  // namespace covary::app
