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

#include "command_line.h"
#include "experiments.h"
#include "interrupt.h"
#include "lgbb.h"
#include "settings_flags.h"
#include "terminal.h"

namespace covary::paper {
namespace {

constexpr std::size_t quick_kernels = 40;
constexpr std::uint64_t most_kernels = 5000;

struct Arguments {
  std::string data = "data";
  std::string out = "paper-results";
  std::vector<std::string> sets = {};
  std::string seeds = "1-5";
  std::vector<std::string> presets = {"default"};
  std::vector<std::string> methods = {"sot", "hellinger", "greedy", "treegep", "random"};
  std::uint64_t split_seed = 1;
  std::size_t kernels = 500;
  std::size_t threads = num_cores();
  bool quick = false;
  bool finished_only = false;
};

const std::vector<Setting<Arguments>>& argument_settings() {
  static const std::vector<Setting<Arguments>> table = {
      settings::text("data", &Arguments::data, "DIR",
                     "Folder with the data sets; see tools/fetch_data."),
      settings::text("out", &Arguments::out, "DIR",
                     "Folder for results, and for what is finished of them."),
      settings::list("sets", &Arguments::sets, "LIST",
                     "Data sets: airline, lgbb, powerplant, airfoil, concrete. Without it, those "
                     "whose files are there."),
      settings::text("seeds", &Arguments::seeds, "A-B",
                     "A seed or a range of them; the paper has 1-30."),
      settings::list("presets", &Arguments::presets, "LIST",
                     "Settings of the searches: default, paper, or both."),
      settings::list("methods", &Arguments::methods, "LIST", "Searches that are compared."),
      settings::whole_number("split_seed", &Arguments::split_seed, 0,
                             "Chooses the training and test rows, for all seeds the same."),
      settings::whole_number("kernels", &Arguments::kernels, 2,
                             "Kernels that meta-regression learns from, and as many to predict; "
                             "the paper has 500."),
      settings::whole_number("threads", &Arguments::threads, 1,
                             "Pieces of work done side by side."),
      settings::flag("quick", &Arguments::quick, true,
                     "Few rows and evaluations: shows that it works, not what comes out."),
      settings::flag("finished_only", &Arguments::finished_only, true,
                     "Tables and figures of what is finished, without further work."),
  };
  return table;
}

[[noreturn]] void wrong(const std::string& option, const std::string& what) {
  throw Error(ErrorKind::usage, option + " " + what);
}

std::uint64_t seed_of(const std::string& text) {
  try {
    return settings::parse_whole_number(text, 0);
  } catch (const Error& error) {
    wrong("--seeds", error.what());
  }
}

// "3" or "1-30".
std::vector<std::uint64_t> parse_seeds(const std::string& text) {
  constexpr std::uint64_t most = 10000;
  const std::size_t dash = text.find('-');
  const std::uint64_t first = seed_of(text.substr(0, dash));
  const std::uint64_t last = dash == std::string::npos ? first : seed_of(text.substr(dash + 1));
  if (last < first || last - first >= most) {
    wrong("--seeds",
          fmt::format("must be a seed or a range such as 1-30, not {}", covary::quoted(text)));
  }
  std::vector<std::uint64_t> seeds;
  for (std::uint64_t seed = first; seed <= last; ++seed) seeds.push_back(seed);
  return seeds;
}

std::vector<std::string> checked_words(const std::string& option,
                                       const std::vector<std::string>& words,
                                       const std::vector<std::string>& known) {
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
      is_asked ? checked_words("--sets", arguments.sets, known) : known;
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
  plan.presets = checked_words("--presets", arguments.presets, {"default", "paper"});
  plan.methods = checked_words("--methods", arguments.methods,
                               {"sot", "hellinger", "greedy", "treegep", "random"});
  plan.split_seed = arguments.split_seed;
  plan.threads = arguments.threads;
  plan.quick = arguments.quick;
  plan.kernels = plan.quick ? quick_kernels : arguments.kernels;
  if (plan.kernels > most_kernels) {
    wrong("--kernels", fmt::format("must be {} at the most", most_kernels));
  }
  plan.finished_only = arguments.finished_only;
  plan.interrupted = &app::interrupt_flag();
  if (plan.quick && plan.seeds.size() > 2)
    plan.seeds.erase(plan.seeds.begin() + 2, plan.seeds.end());
  make_folder(plan.out_folder);
  plan.sets = chosen_sets(arguments, needs_data);
  return plan;
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
    app::add_settings(*command, arguments, argument_settings());
    command->callback([&chosen, &experiment] { chosen = {&experiment}; });
  }
  CLI::App* all = program.add_subcommand("all", "All of them, one after the other.");
  app::add_settings(*all, arguments, argument_settings());
  all->callback([&chosen] {
    for (const Experiment& experiment : experiments()) chosen.push_back(&experiment);
  });
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);
    throw Error(ErrorKind::usage, app::complaint_about(program, error));
  }
  const bool needs_data =
      std::any_of(chosen.begin(), chosen.end(), [](const Experiment* e) { return e->needs_data; });
  const Plan plan = plan_of(arguments, needs_data);
  app::set_last_words(
      fmt::format("interrupted; everything finished is kept in {}; the same command again goes on "
                  "with it",
                  shown_source(plan.out_folder)));
  app::catch_interrupts();
  for (const Experiment* experiment : chosen) experiment->run(plan);
  return std::fflush(stdout) == 0 ? 0 : exit_code(ErrorKind::disk);
}

}  // namespace
}  // namespace covary::paper

int main(int argc, char** argv) {
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on file sizes is an error of the write, not our end
  constexpr int exit_internal = 70;
  try {
    return covary::paper::run(argc, argv);
  } catch (const covary::Error& error) {
    covary::app::print_error(error.what());
    return covary::exit_code(error.kind());
  } catch (const covary::app::Interrupted&) {
    covary::app::print_error(covary::app::last_words());
    return covary::app::interrupt_exit_code();
  } catch (const std::bad_alloc&) {
    covary::app::print_error("there is not enough memory for this experiment: " +
                             covary::memory_left_text());
    return covary::exit_code(covary::ErrorKind::memory);
  } catch (const std::exception& error) {
    covary::app::print_error(fmt::format("internal error: {}; please report it", error.what()));
    return exit_internal;
  }
}
