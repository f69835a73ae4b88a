#include <algorithm>
#include <thread>

#include <fmt/format.h>

#include <covary/option_text.h>
#include <covary/search.h>

namespace covary {

std::size_t num_cores() { return std::max(std::thread::hardware_concurrency(), 1U); }

SearchOptions SearchOptions::paper() {
  SearchOptions options;
  options.evidence = EvidenceOptions::paper();
  options.space = {.space = "paper-small", .operators = "+,*"};
  options.unique = Uniqueness::none;
  options.warm_starts = false;
  options.acquisition = Acquisition::paper;
  options.finalists = 1;
  options.ensemble = 1;
  options.average = Average::none;
  options.fidelity = Fidelity::exact;
  options.screen = 0;
  return options;
}

namespace {

Setting<SearchOptions> screen_setting() {
  return {"screen", "auto|none|N",
          "How many inputs to keep, those that say most of the target one by one: as many as a "
          "search can try (auto, 30, unless they are named in " +
              option_text("inputs") + "), all (none), or N.",
          [](SearchOptions& options, std::string_view text) {
            if (text == "auto") {
              options.screen.reset();
            } else if (text == "none") {
              options.screen = 0;
            } else {
              try {
                options.screen = settings::parse_whole_number(text, 1);
              } catch (const Error& error) {
                throw Error(error.kind(), fmt::format("{}, or auto or none", error.what()));
              }
            }
          },
          [](const SearchOptions& options) {
            if (!options.screen) return std::string("auto");
            return *options.screen == 0 ? std::string("none") : std::to_string(*options.screen);
          }};
}

}  // namespace

const std::vector<Setting<SearchOptions>>& search_settings() {
  static const std::vector<Setting<SearchOptions>> table = {
      settings::choice("method", &SearchOptions::method,
                       {{"sot", SearchMethod::sot},
                        {"hellinger", SearchMethod::hellinger},
                        {"greedy", SearchMethod::greedy},
                        {"treegep", SearchMethod::treegep},
                        {"random", SearchMethod::random}},
                       "How kernels are proposed: Bayesian optimisation with the symbolic "
                       "transport distance or with the Hellinger distance; all neighbours of the "
                       "best kernel; genetic programming; or at random."),
      settings::whole_number("max_evaluations", &SearchOptions::max_evaluations, {1, 1'000'000'000},
                             "Evaluations of kernels, the initial set included. If not given, the "
                             "search ends when nothing more is to be expected (sot, hellinger), or "
                             "after the initial set and 50 more."),
      settings::seconds("time_limit", &SearchOptions::time_limit,
                        "Time for the whole search in seconds; 0 for no limit."),
      settings::whole_number("threads", &SearchOptions::threads, {1, 10'000},
                             "Kernels that are evaluated side by side."),
      settings::flag("deterministic", &SearchOptions::deterministic, true,
                     "The same result for any number of threads."),
      settings::choice("unique", &SearchOptions::unique,
                       {{"none", Uniqueness::none},
                        {"tree", Uniqueness::tree},
                        {"polynomial", Uniqueness::polynomial},
                        {"family", Uniqueness::family}},
                       "Which kernels are not proposed again: none, the same tree up to swapping "
                       "sides, also the same polynomial, or the same family of functions, in its "
                       "shortest form only."),
      settings::choice("acquisition", &SearchOptions::acquisition,
                       {{"informed", Acquisition::informed}, {"paper", Acquisition::paper}},
                       "How the next kernel is chosen: the best we know, or the paper's way."),
      settings::whole_number("population", &SearchOptions::population, {5, 1'000'000},
                             "Kernels in the evolutionary search for the next one."),
      settings::whole_number("generations", &SearchOptions::generations, 1,
                             "Generations of that search."),
      settings::flag("no_warm_starts", &SearchOptions::warm_starts, false,
                     "Fits do not start from the parameters of similar kernels."),
      settings::whole_number("finalists", &SearchOptions::finalists, 1,
                             "The best kernels that are fitted once more, with more starts."),
      settings::whole_number(
          "ensemble", &SearchOptions::ensemble, {1, Ensemble::max_members},
          "The most kernels that make up the model. Default: of one input the best 5, "
          "of several up to 13 of all kinds; fewer from 780 rows on, 1 from 2,001."),
      settings::choice("average", &SearchOptions::average,
                       {{"parameters", Average::parameters}, {"none", Average::none}},
                       "What predictions are averaged over besides: what the data leave open about "
                       "a kernel's parameters (as far as 16 MB go), or nothing."),
      settings::choice("fidelity", &SearchOptions::fidelity,
                       {{"auto", Fidelity::automatic}, {"exact", Fidelity::exact}},
                       "On which rows kernels are compared: on 500 at first and the best ones on "
                       "more, where there are many, or on all."),
      screen_setting(),
  };
  return table;
}

std::string_view to_string(SearchEnd end) {
  switch (end) {
    case SearchEnd::max_evaluations:
      return "max_evaluations";
    case SearchEnd::time_limit:
      return "time_limit";
    case SearchEnd::interrupted:
      return "interrupted";
    case SearchEnd::exhausted:
      return "exhausted";
    case SearchEnd::nothing_expected:
      return "nothing_expected";
  }
  return {};
}

std::string end_words(SearchEnd end, const std::optional<double>& expected_gain) {
  switch (end) {
    case SearchEnd::max_evaluations:
      return "all planned evaluations were done";
    case SearchEnd::time_limit:
      return "the time was up";
    case SearchEnd::interrupted:
      return "it was interrupted";
    case SearchEnd::exhausted:
      return "there was no further kernel to evaluate";
    case SearchEnd::nothing_expected:
      return fmt::format(
          "nothing more was to be expected: a gain of {:.2f} from the next {} kernels",
          expected_gain.value_or(0.0), kernels_looked_ahead);
  }
  return {};
}

std::optional<SearchEnd> search_end_from(std::string_view word) {
  for (const SearchEnd end :
       {SearchEnd::max_evaluations, SearchEnd::time_limit, SearchEnd::interrupted,
        SearchEnd::exhausted, SearchEnd::nothing_expected}) {
    if (to_string(end) == word) return end;
  }
  return std::nullopt;
}

namespace {

template <class Options>
void list_settings(const Options& options, const std::vector<Setting<Options>>& table,
                   std::vector<std::pair<std::string, std::string>>& list) {
  for (const Setting<Options>& setting : table) {
    const bool is_listed = std::any_of(list.begin(), list.end(), [&](const auto& entry) {
      return entry.first == setting.name;  // the search's own threads and time limit come first
    });
    if (!is_listed) list.emplace_back(setting.name, setting.get(options));
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> settings_of(const SearchOptions& options) {
  std::vector<std::pair<std::string, std::string>> list;
  list_settings(options, search_settings(), list);
  list_settings(options.space, search_space_settings(), list);
  list_settings(options.evidence, evidence_settings(), list);
  return list;
}

namespace {

template <class Options>
bool set_if_known(Options& options, const std::vector<Setting<Options>>& table,
                  const std::string& name, const std::string& value) {
  for (const Setting<Options>& setting : table) {
    if (setting.name != name) continue;
    setting.set(options, value);
    return true;
  }
  return false;
}

}  // namespace

void set_setting(SearchOptions& options, const std::string& name, const std::string& value) {
  const bool is_known = set_if_known(options, search_settings(), name, value) ||
                        set_if_known(options.space, search_space_settings(), name, value) ||
                        set_if_known(options.evidence, evidence_settings(), name, value);
  if (!is_known) throw Error(ErrorKind::usage, "there is no setting " + name + " of a search");
}

Dataset screened(const Dataset& data, const SearchOptions& options) {
  return screened(data, options.screen.value_or(most_inputs_by_default));
}

void check_options(const SearchOptions& options) {
  check_settings(options, search_settings());
  check_settings(options.space, search_space_settings());
  check_settings(options.evidence, evidence_settings());
}

void check_options(const RunOptions& run) {
  if (run.folder.empty()) throw Error(ErrorKind::usage, "folder must name the folder of the run");
  if (run.resume && run.force) {
    throw Error(ErrorKind::usage, "resume and force exclude each other");
  }
}

}  // namespace covary
