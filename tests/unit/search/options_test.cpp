// Options that a program fills in are checked as those of the command line are: nothing hangs,
// nothing divides by zero, and the error names the option.
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <covary/explain.h>
#include <covary/search.h>
#include <covary/stepped_search.h>
#include <covary/table.h>

#include "unit/series.h"

namespace covary {
namespace {

template <class Options>
using Spoil = std::function<void(Options&)>;

// Impossible values by the name of the setting.
template <class Options>
using Spoilers = std::map<std::string, std::vector<Spoil<Options>>>;

template <class Options>
std::vector<Spoil<Options>> durations(double Options::*member) {
  return {[member](Options& o) { o.*member = std::nan(""); },
          [member](Options& o) { o.*member = -1.0; },
          [member](Options& o) { o.*member = std::numeric_limits<double>::infinity(); }};
}

template <class Options, class Number>
std::vector<Spoil<Options>> numbers(Number Options::*member,
                                    const std::vector<std::size_t>& values) {
  std::vector<Spoil<Options>> list;
  list.reserve(values.size());
  for (const std::size_t value : values) {
    list.push_back([member, value](Options& o) { o.*member = value; });
  }
  return list;
}

template <class Options, class Enum>
std::vector<Spoil<Options>> no_enumerator(Enum Options::*member) {
  return {[member](Options& o) { o.*member = static_cast<Enum>(77); }};
}

constexpr std::size_t minus_one = std::numeric_limits<std::size_t>::max();

Spoilers<EvidenceOptions> evidence_spoilers() {
  using O = EvidenceOptions;
  return {{"criterion", no_enumerator(&O::criterion)},
          {"laplace", no_enumerator(&O::laplace)},
          {"priors", no_enumerator(&O::priors)},
          {"starts", no_enumerator(&O::starts)},
          {"mean", no_enumerator(&O::mean)},
          {"transform", {[](O& o) { o.transform = static_cast<TargetTransform>(77); }}},
          {"restarts", numbers(&O::restarts, {0, minus_one})},
          {"max_iterations", numbers(&O::max_iterations, {0})},
          {"time_limit", durations(&O::time_limit)},
          {"folds", numbers(&O::folds, {0, 1})},
          {"threads", numbers(&O::threads, {0, minus_one})},
          {"device",
           {[](O& o) { o.device.kind = static_cast<DeviceChoice::Kind>(77); },
            [](O& o) {
              o.device = {DeviceChoice::Kind::cuda, -1};
            }}}};
}

Spoilers<SearchOptions> search_spoilers() {
  using O = SearchOptions;
  return {{"method", no_enumerator(&O::method)},
          {"max_evaluations", numbers(&O::max_evaluations, {0, minus_one})},
          {"time_limit", durations(&O::time_limit)},
          {"threads", numbers(&O::threads, {0, minus_one})},
          {"unique", no_enumerator(&O::unique)},
          {"acquisition", no_enumerator(&O::acquisition)},
          {"population", numbers(&O::population, {0, 4, minus_one})},
          {"generations", numbers(&O::generations, {0})},
          {"finalists", numbers(&O::finalists, {0})},
          {"ensemble", numbers(&O::ensemble, {0, Ensemble::max_members + 1})},
          {"average", no_enumerator(&O::average)},
          {"fidelity", no_enumerator(&O::fidelity)},
          {"screen", {}}};  // any number will do; as text it may be no number
}

Spoilers<SearchSpaceOptions> space_spoilers() {
  return {{"max_leaves", numbers(&SearchSpaceOptions::max_leaves, {0})}};
}
Spoilers<SplitOptions> split_spoilers() {
  return {{"rows", numbers(&SplitOptions::rows, {0, 2})},
          {"holdout", numbers(&SplitOptions::holdout, {0})}};
}
Spoilers<DatasetOptions> dataset_spoilers() {
  return {{"missing", no_enumerator(&DatasetOptions::missing)}};
}
Spoilers<ExplainOptions> explain_spoilers() {
  return {{"folds", numbers(&ExplainOptions::folds, {0, 1})},
          {"num_draws", numbers(&ExplainOptions::num_draws, {minus_one})}};
}

const Table& table() {
  static const Table result = series_table(
      20, [](int i) { return 0.1 * i; }, [](int i) { return std::sin(1.7 * i); });
  return result;
}

const Dataset& data() {
  static const Dataset result = make_dataset(table(), {.target = "y"});
  return result;
}

std::string complaint(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return error.what();
  }
  return "no complaint";
}

// Every impossible value, brought to every place that takes such options.
template <class Options>
void expect_named(const Spoilers<Options>& spoilers,
                  const std::vector<std::function<void(const Options&)>>& entries,
                  const Options& good = {}) {
  for (const auto& [name, list] : spoilers) {
    for (const Spoil<Options>& spoil : list) {
      Options options = good;
      spoil(options);
      for (std::size_t e = 0; e < entries.size(); ++e) {
        const std::string words = complaint([&] { entries[e](options); });
        EXPECT_EQ(words.substr(0, name.size() + 6), name + " must ")
            << "entry " << e << ": " << words;
      }
    }
  }
}

TEST(Options, ImpossibleOnesOfAnEvaluationAreNamed) {
  expect_named<EvidenceOptions>(
      evidence_spoilers(),
      {[](const EvidenceOptions& o) {
         make_oracle(data(), o)->evaluate(parse_expression("SE", InputNames::unnamed(1)));
       },
       [](const EvidenceOptions& o) { check_settings(o, evidence_settings()); },
       [](const EvidenceOptions& o) { search(data(), {.evidence = o, .max_evaluations = 2}); }});
}

TEST(Options, ImpossibleOnesOfASearchAreNamedAndLeaveNoFolder) {
  const std::string folder = fmt::format("{}/covary_options_test_{}", testing::TempDir(), getpid());
  std::filesystem::remove_all(folder);
  expect_named<SearchOptions>(
      search_spoilers(),
      {[](const SearchOptions& o) { search(data(), o); },
       [&](const SearchOptions& o) { search_in_folder(data(), o, {.folder = folder}); },
       [](const SearchOptions& o) { SteppedSearch(data(), o).ask(); },
       [](const SearchOptions& o) { SteppedSearch(InputNames::unnamed(1), o).ask(); },
       [&](const SearchOptions& o) {
         SteppedSearch(data(), o, RunOptions{.folder = folder}).ask();
       }},
      {.max_evaluations = 2});
  EXPECT_FALSE(std::filesystem::exists(folder));
}

TEST(Options, ImpossibleOnesOfASpaceAreNamed) {
  expect_named<SearchSpaceOptions>(
      space_spoilers(),
      {[](const SearchSpaceOptions& o) { make_search_space(o, InputNames::unnamed(1)); },
       [](const SearchSpaceOptions& o) { search(data(), {.space = o, .max_evaluations = 2}); }});
  SearchSpace space = make_search_space({}, InputNames::unnamed(1));
  space.max_leaves = 0;
  EXPECT_NE(complaint([&] { Grammar grammar(space); }).find("max_leaves"), std::string::npos);
}

TEST(Options, ImpossibleOnesOfDataAndExplanationsAreNamed) {
  expect_named<SplitOptions>(split_spoilers(),
                             {[](const SplitOptions& o) { split_rows(data(), o); }});
  expect_named<DatasetOptions>(dataset_spoilers(),
                               {[](const DatasetOptions& o) { make_dataset(table(), o); }},
                               {.target = "y"});
  const Expression kernel = parse_expression("SE", InputNames::unnamed(1));
  const FittedModel model(kernel, {0.2, 1.0, 0.1}, data());
  expect_named<ExplainOptions>(explain_spoilers(),
                               {[&](const ExplainOptions& o) { explain(model, o); },
                                [&](const ExplainOptions& o) { explain(Ensemble(model), o); }});
  const Prediction prediction = model.predict({{0.5}});
  for (const double wrong : {0.0, 1.0, -0.5, 95.0, std::nan("")}) {
    EXPECT_NE(complaint([&] { prediction.interval(wrong); }).find("level must "),
              std::string::npos);
    EXPECT_NE(complaint([&] { prediction.quantile(wrong); }).find("probability must "),
              std::string::npos);
  }
}

TEST(Options, ARunIsResumedOrReplacedAndHasAFolder) {
  const std::string folder = fmt::format("{}/covary_options_test_{}", testing::TempDir(), getpid());
  const auto words = [&](const RunOptions& run) {
    return complaint([&] { search_in_folder(data(), {.max_evaluations = 2}, run); });
  };
  EXPECT_EQ(words({.folder = folder, .resume = true, .force = true}),
            "resume and force exclude each other");
  EXPECT_EQ(words({.folder = ""}), "folder must name the folder of the run");
}

// A new setting needs a row above: what a table can refuse as text, a program must be refused too.
template <class Options>
void expect_complete(const std::vector<Setting<Options>>& settings,
                     const Spoilers<Options>& spoilers) {
  check_settings(Options{}, settings);
  for (const Setting<Options>& setting : settings) {
    Options options;
    const bool refuses =
        complaint([&] { setting.set(options, "no such value"); }) != "no complaint" &&
        (setting.placeholder != "N" ||
         complaint([&] { setting.set(options, "0"); }) != "no complaint");
    EXPECT_TRUE(!refuses || spoilers.contains(setting.name)) << setting.name;
  }
}

TEST(Options, AllThatTextsAreRefusedForIsTriedAbove) {
  expect_complete(evidence_settings(), evidence_spoilers());
  expect_complete(search_settings(), search_spoilers());
  expect_complete(search_space_settings(), space_spoilers());
  expect_complete(split_settings(), split_spoilers());
  expect_complete(dataset_settings(), dataset_spoilers());
  expect_complete(explain_settings(), explain_spoilers());
  check_options(SearchOptions::paper());
  check_settings(EvidenceOptions::paper(), evidence_settings());
}

}  // namespace
}  // namespace covary
