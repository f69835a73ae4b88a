// covary-paper: every table and figure of the paper, computed anew.
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <covary/covary.h>

#include "experiments.h"
#include "interrupt.h"
#include "lgbb.h"
#include "terminal.h"

namespace covary::paper {
namespace {

constexpr std::size_t quick_kernels = 40;
constexpr std::uint64_t most_kernels = 5000;

struct Arguments {
  std::string data = "data";
  std::string out = "paper-results";
  std::string seeds = "1-5";
  std::string sets;
  std::string presets = "default";
  std::string methods = "sot,hellinger,greedy,treegep,random";
  std::string split_seed = "1";
  std::size_t threads = num_cores();
  std::string kernels = "500";
  bool quick = false;
  bool finished_only = false;
};

[[noreturn]] void wrong(const std::string& option, const std::string& what) {
  throw Error(ErrorKind::usage, option + " " + what);
}

std::uint64_t whole_number(const std::string& option, const std::string& text) {
  try {
    return settings::parse_whole_number(text, 0);
  } catch (const Error& error) {
    wrong(option, error.what());
  }
}

// "3" or "1-30".
std::vector<std::uint64_t> parse_seeds(const std::string& text) {
  constexpr std::uint64_t most = 10000;
  const std::size_t dash = text.find('-');
  const std::uint64_t first = whole_number("--seeds", text.substr(0, dash));
  const std::uint64_t last =
      dash == std::string::npos ? first : whole_number("--seeds", text.substr(dash + 1));
  if (last < first || last - first >= most) {
    wrong("--seeds",
          fmt::format("must be a seed or a range such as 1-30, not {}", covary::quoted(text)));
  }
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t seed = first; seed <= last; ++seed) seeds.push_back(seed);
  return seeds;
}

std::vector<std::string> parse_words(const std::string& option, const std::string& text,
                                     const std::vector<std::string>& known) {
  std::vector<std::string> words = settings::split_list(text);
  for (const std::string& word : words) {
    if (std::find(known.begin(), known.end(), word) == known.end()) {
      wrong(option, fmt::format("knows {}, not {}", fmt::join(known, ", "), covary::quoted(word)));
    }
  }
  if (words.empty()) wrong(option, fmt::format("needs one of {}", fmt::join(known, ", ")));
  return words;
}

// Those asked for have to be there; without --sets, those that are there.
std::vector<PaperData> chosen_sets(const Arguments& arguments, bool needs_data) {
  std::vector<std::string> known;
  for (const PaperData& data : all_paper_data()) known.push_back(data.name);
  const bool is_asked = !arguments.sets.empty();
  const std::vector<std::string> wanted =
      is_asked ? parse_words("--sets", arguments.sets, known) : known;
  std::vector<PaperData> sets;
  std::vector<std::string> missing;
  for (const PaperData& data : all_paper_data()) {
    if (std::find(wanted.begin(), wanted.end(), data.name) == wanted.end()) continue;
    (is_there(data, arguments.data) ? sets.push_back(data) : missing.push_back(data.file));
  }
  const std::string where = fmt::format(
      "{} not in {}: tools/fetch_data gets those of the UCI repository, examples/data has "
      "airline.csv, and lgbb_original.txt comes from {}",
      fmt::join(missing, ", "), shown_source(arguments.data), lgbb_source);
  const bool is_lacking = is_asked ? !missing.empty() : needs_data && sets.empty();
  if (is_lacking) throw Error(ErrorKind::no_input, where);
  if (needs_data && !missing.empty()) app::print_note(where);
  return sets;
}

// Before hours of work rather than after.
void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder)) {
    throw Error(
        ErrorKind::cannot_write,
        fmt::format("{} cannot be made; choose another folder with --out", shown_source(folder)));
  }
}

Plan plan_of(const Arguments& arguments, bool needs_data) {
  Plan plan;
  plan.data_folder = arguments.data;
  plan.out_folder = arguments.out + (arguments.quick ? "/quick" : "");
  plan.seeds = parse_seeds(arguments.seeds);
  plan.presets = parse_words("--presets", arguments.presets, {"default", "paper"});
  plan.methods = parse_words("--methods", arguments.methods,
                             {"sot", "hellinger", "greedy", "treegep", "random"});
  plan.split_seed = whole_number("--split-seed", arguments.split_seed);
  plan.threads = std::max<std::size_t>(arguments.threads, 1);
  plan.quick = arguments.quick;
  plan.kernels = plan.quick ? quick_kernels : whole_number("--kernels", arguments.kernels);
  if (plan.kernels < 2 || plan.kernels > most_kernels) {
    wrong("--kernels", fmt::format("must be from 2 to {}", most_kernels));
  }
  plan.finished_only = arguments.finished_only;
  plan.interrupted = &app::interrupt_flag();
  if (plan.quick && plan.seeds.size() > 2)
    plan.seeds.erase(plan.seeds.begin() + 2, plan.seeds.end());
  make_folder(plan.out_folder);
  plan.sets = chosen_sets(arguments, needs_data);
  return plan;
}

void add_options(CLI::App& command, Arguments& arguments) {
  command
      .add_option("--data", arguments.data,
                  "Folder with the data sets; see tools/fetch_data. Default: data.")
      ->type_name("DIR");
  command
      .add_option("--out", arguments.out,
                  "Folder for results, and for what is finished of them. Default: paper-results.")
      ->type_name("DIR");
  command
      .add_option("--sets", arguments.sets,
                  "Data sets: airline, lgbb, powerplant, airfoil, concrete. Default: those "
                  "whose files are there.")
      ->type_name("LIST");
  command
      .add_option("--seeds", arguments.seeds,
                  "A seed or a range of them; the paper has 1-30. Default: 1-5.")
      ->type_name("A-B");
  command
      .add_option("--presets", arguments.presets,
                  "Settings of the searches: default, paper, or both. Default: default.")
      ->type_name("LIST");
  command
      .add_option("--methods", arguments.methods,
                  "Searches that are compared. Default: sot,hellinger,greedy,treegep,random.")
      ->type_name("LIST");
  command
      .add_option("--split-seed", arguments.split_seed,
                  "Chooses the training and test rows, for all seeds the same. Default: 1.")
      ->type_name("N");
  command
      .add_option("--kernels", arguments.kernels,
                  "Kernels that meta-regression learns from, and as many to predict. Default: "
                  "500, as in the paper.")
      ->type_name("N");
  command.add_option("--threads", arguments.threads, "Pieces of work done side by side.")
      ->type_name("N");
  command.add_flag("--quick", arguments.quick,
                   "Few rows and evaluations: shows that it works, not what comes out.");
  command.add_flag("--finished-only", arguments.finished_only,
                   "Tables and figures of what is finished, without further work.");
}

int run(int argc, char** argv) {
  CLI::App program{"Computes the tables and figures of the paper anew.", "covary-paper"};
  program.set_version_flag("--version", fmt::format("covary-paper {}", version));
  program.require_subcommand(1);
  program.footer(
      "What is finished is kept: the same command again goes on where it was.\n"
      "Results are NAME.md, NAME.csv, NAME.json and NAME.svg in the folder given by --out.");
  Arguments arguments;
  std::vector<const Experiment*> chosen;
  for (const Experiment& experiment : experiments()) {
    CLI::App* command = program.add_subcommand(experiment.name, experiment.help);
    add_options(*command, arguments);
    command->callback([&chosen, &experiment] { chosen = {&experiment}; });
  }
  CLI::App* all = program.add_subcommand("all", "All of them, one after the other.");
  add_options(*all, arguments);
  all->callback([&chosen] {
    for (const Experiment& experiment : experiments()) chosen.push_back(&experiment);
  });
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);
    throw Error(ErrorKind::usage, fmt::format("{}; see 'covary-paper --help'", error.what()));
  }
  const bool needs_data =
      std::any_of(chosen.begin(), chosen.end(), [](const Experiment* e) { return e->needs_data; });
  const Plan plan = plan_of(arguments, needs_data);
  app::catch_interrupts();
  for (const Experiment* experiment : chosen) experiment->run(plan);
  return std::fflush(stdout) == 0 ? 0 : exit_code(ErrorKind::disk);
}

}  // namespace
}  // namespace covary::paper

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is an error of the write, not our end
  constexpr int exit_internal = 70;
  constexpr int exit_interrupted = 130;
  try {
    return covary::paper::run(argc, argv);
  } catch (const covary::Error& error) {
    covary::app::print_error(error.what());
    return covary::exit_code(error.kind());
  } catch (const covary::app::Interrupted& interrupted) {
    covary::app::print_error(
        fmt::format("interrupted; everything finished is kept in {}; the same command again goes "
                    "on with it",
                    covary::shown_source(interrupted.run)));
    return exit_interrupted;
  } catch (const std::bad_alloc&) {
    covary::app::print_error("there is not enough memory for this experiment");
    return covary::exit_code(covary::ErrorKind::bad_data);
  } catch (const std::exception& error) {
    covary::app::print_error(fmt::format("internal error: {}; please report it", error.what()));
    return exit_internal;
  }
}
