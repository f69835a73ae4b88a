// A search in the caller's hands: the same as search() where it has to be, and never confused by
// the order or the loss of results.
#include <algorithm>
#include <cmath>
#include <deque>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <covary/distance.h>
#include <covary/stepped_search.h>
#include <covary/table.h>

#include "unit/series.h"

namespace covary {
namespace {

const Dataset& data() {
  static const Dataset result = series(
      40, [](int i) { return 0.1 * i; },
      [](int i) { return 0.2 * i + std::sin(1.7 * i) + 0.1 * (i * 7 % 5); });
  return result;
}

SearchOptions quick(std::size_t max_evaluations) {
  SearchOptions options;
  options.max_evaluations = max_evaluations;
  options.evidence.restarts = 2;
  options.finalists = 2;
  return options;
}

Evidence evaluated(const SearchTask& task) {
  return make_oracle(data(), task.evidence)->evaluate(task.kernel, task.warm_starts);
}

// As workers do that are fast and slow by chance.
SearchResult run(SteppedSearch& search, std::size_t num_workers, std::uint64_t seed) {
  Random random(seed);
  std::vector<SearchTask> under_way;
  while (!search.is_done()) {
    while (std::optional<SearchTask> task = search.ask(num_workers)) under_way.push_back(*task);
    EXPECT_LE(under_way.size(), num_workers);
    if (under_way.empty()) break;
    const std::size_t next = random.index(under_way.size());
    search.tell(under_way[next].number, evaluated(under_way[next]));
    under_way.erase(under_way.begin() + static_cast<std::ptrdiff_t>(next));
  }
  return search.result();
}

std::vector<std::string> lines_of(const SearchResult& result) {
  std::vector<std::string> lines;
  for (const SearchRecord& record : result.history) {
    lines.push_back(to_string(record.kernel) + " " + std::to_string(*record.evidence.value));
  }
  lines.push_back(result.kernel + " " + std::to_string(result.value));
  return lines;
}

class SteppedSearchMethods : public testing::TestWithParam<SearchMethod> {};

TEST_P(SteppedSearchMethods, DeterministicItIsSearchWhoeverEvaluatesInWhicheverOrder) {
  SearchOptions options = quick(26);
  options.method = GetParam();
  options.deterministic = true;
  const std::vector<std::string> expected = lines_of(search(data(), options));
  ASSERT_EQ(expected.size(), 27U);
  for (const std::size_t num_workers : {1U, 2U, 5U}) {
    SteppedSearch stepped(data(), options);
    EXPECT_EQ(lines_of(run(stepped, num_workers, num_workers)), expected);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SteppedSearchMethods,
                         testing::Values(SearchMethod::sot, SearchMethod::hellinger,
                                         SearchMethod::greedy, SearchMethod::treegep,
                                         SearchMethod::random));

TEST(SteppedSearch, DeterministicItEndsByItselfWhereSearchDoes) {
  SearchOptions options = quick(1);
  options.max_evaluations.reset();
  options.deterministic = true;
  // Rounding, which differs between compilers, may have it go on to the most evaluations instead.
  const SearchResult whole = search(data(), options);
  SteppedSearch stepped(data(), options);
  EXPECT_EQ(stepped.num_planned(), 200U);
  const SearchResult result = run(stepped, 4, 1);
  EXPECT_EQ(lines_of(result), lines_of(whole));
  EXPECT_EQ(result.end, whole.end);
  EXPECT_EQ(result.expected_gain, whole.expected_gain);
}

TEST(SteppedSearch, ValuesOfTheCallersOwnAreNoNatsAndHaveTheUsualNumberOfEvaluations) {
  SearchOptions options;
  options.space.space = "SE,LIN";
  EXPECT_EQ(SteppedSearch(InputNames::unnamed(1), options).num_planned(), 56U);
  SteppedSearch stepped(data(), options);
  EXPECT_EQ(stepped.num_planned(), 200U);
  for (std::size_t i = 0; std::optional<SearchTask> task = stepped.ask(); ++i) {
    stepped.tell(task->number, static_cast<double>(i % 3));
  }
  EXPECT_EQ(stepped.num_planned(), 56U);
  EXPECT_EQ(stepped.history().size(), 56U);
  EXPECT_EQ(stepped.end(), SearchEnd::max_evaluations);
}

TEST(SteppedSearch, ResultsAreLearntFromAsTheyCome) {
  SteppedSearch stepped(data(), quick(24));
  const SearchResult result = run(stepped, 3, 1);
  ASSERT_EQ(result.history.size(), 24U);
  std::set<std::string> keys;
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_EQ(result.history[i].index, i);
    EXPECT_TRUE(keys.insert(tree_key(result.history[i].kernel)).second);
  }
  EXPECT_EQ(result.end, SearchEnd::max_evaluations);
  // The first result is known although others before it are not.
  SteppedSearch open(data(), quick(24));
  open.ask(3);
  open.ask(3);
  const SearchTask third = *open.ask(3);
  EXPECT_FALSE(open.ask(3));
  open.tell(third.number, evaluated(third));
  ASSERT_EQ(open.history().size(), 1U);
  EXPECT_EQ(open.history()[0].index, 2U);
}

class RunFolderOfItsOwn {
 public:
  RunFolderOfItsOwn()
      : path_(fmt::format("{}/covary_stepped_search_{}", testing::TempDir(), getpid())) {
    remove();
  }
  ~RunFolderOfItsOwn() { remove(); }
  RunFolderOfItsOwn(const RunFolderOfItsOwn&) = delete;
  RunFolderOfItsOwn& operator=(const RunFolderOfItsOwn&) = delete;
  const std::string& path() const { return path_; }

 private:
  void remove() const { std::filesystem::remove_all(path_); }
  std::string path_;
};

TEST(SteppedSearch, ADeadDriversRunGoesOnAsIfItHadNotDied) {
  for (const bool deterministic : {true, false}) {
    const RunFolderOfItsOwn folder;
    SearchOptions options = quick(22);
    options.deterministic = deterministic;
    SteppedSearch whole(data(), options);
    const std::vector<std::string> expected = lines_of(run(whole, 2, 3));
    std::vector<std::size_t> told;
    {
      SteppedSearch first(data(), options, RunOptions{.folder = folder.path()});
      std::deque<SearchTask> under_way;
      for (int i = 0; i < 15; ++i) {
        while (std::optional<SearchTask> task = first.ask(3)) under_way.push_back(*task);
        const SearchTask task = i % 2 == 0 ? under_way.back() : under_way.front();
        i % 2 == 0 ? under_way.pop_back() : under_way.pop_front();
        first.tell(task.number, evaluated(task));
        told.push_back(task.number);
      }
    }  // and is never heard of again
    SteppedSearch second(data(), options, RunOptions{.folder = folder.path(), .resume = true});
    const SearchResult result = run(second, 2, 4);
    ASSERT_EQ(result.history.size(), 22U);
    for (std::size_t i = 0; i < 22; ++i) EXPECT_EQ(result.history[i].index, i);
    if (deterministic) {
      EXPECT_EQ(lines_of(result), expected);
    }
    EXPECT_TRUE(std::filesystem::exists(folder.path() + "/model.json"));
    // search() goes on with it too: all is there.
    const SearchResult again =
        search_in_folder(data(), options, {.folder = folder.path(), .resume = true});
    EXPECT_EQ(lines_of(again), lines_of(result));
  }
}

TEST(SteppedSearch, WithAMeasureOfOnesOwnNeedsNoData) {
  const Expression hidden = parse_expression("LIN*SE + PER", InputNames::unnamed(1));
  SearchOptions options = quick(60);
  SteppedSearch search(InputNames::unnamed(1), options);
  while (std::optional<SearchTask> task = search.ask()) {
    const TransportDistances d = transport_distances(task->kernel, hidden);
    search.tell(task->number, -(d.base + d.paths + d.subtrees));
  }
  EXPECT_TRUE(search.is_done());
  EXPECT_EQ(search.end(), SearchEnd::max_evaluations);
  EXPECT_EQ(search.history().size(), 60U);
  EXPECT_GT(*search.best()->evidence.value, -0.2);
  EXPECT_THROW(search.result(), Error);
  options.method = SearchMethod::hellinger;
  EXPECT_THROW(SteppedSearch(InputNames::unnamed(1), options), Error);
}

TEST(SteppedSearch, AKernelThatFailedIsPassedByAndTheModelIsOfTheOthers) {
  for (const bool deterministic : {true, false}) {
    const RunFolderOfItsOwn folder;
    SearchOptions options = quick(14);
    options.deterministic = deterministic;
    SteppedSearch stepped(data(), options, RunOptions{.folder = folder.path()});
    std::size_t num_failed = 0;
    while (std::optional<SearchTask> task = stepped.ask()) {
      if (task->number % 3 == 1) {
        stepped.fail(task->number, "the worker was lost");
        if (!task->is_finalist) ++num_failed;
        EXPECT_THROW(stepped.fail(task->number), Error);  // told already
      } else {
        stepped.tell(task->number, evaluated(*task));
      }
    }
    const SearchResult result = stepped.result();
    EXPECT_EQ(num_failed, 5U);
    EXPECT_EQ(result.failed_evaluations, num_failed);
    for (const SearchRecord& record : result.history) {
      const bool has_failed = record.index % 3 == 1;
      EXPECT_EQ(record.evidence.outcome == FitOutcome::failed, has_failed);
      EXPECT_EQ(record.evidence.message == "the worker was lost", has_failed);
      EXPECT_EQ(record.evidence.value.has_value(), !has_failed);
    }
    // And so it is read back.
    const SearchResult again =
        search_in_folder(data(), options, {.folder = folder.path(), .resume = true});
    EXPECT_EQ(again.failed_evaluations, num_failed);
    EXPECT_EQ(again.history[1].evidence.outcome, FitOutcome::failed);
  }
}

TEST(SteppedSearch, StoppedItKeepsWhatItWasTold) {
  for (const bool deterministic : {true, false}) {
    SearchOptions options = quick(30);
    options.deterministic = deterministic;
    SteppedSearch stepped(data(), options);
    for (int i = 0; i < 7; ++i) {
      const SearchTask task = *stepped.ask();
      stepped.tell(task.number, evaluated(task));
    }
    ASSERT_TRUE(stepped.ask(2));  // under way
    stepped.stop();
    EXPECT_TRUE(stepped.is_done());
    EXPECT_FALSE(stepped.ask(9));
    EXPECT_THROW(stepped.tell(7, 1.0), Error);
    const SearchResult result = stepped.result();
    EXPECT_EQ(result.history.size(), 7U);
    EXPECT_EQ(result.end, SearchEnd::interrupted);
  }
}

TEST(SteppedSearch, RefusesWhatIsNoResult) {
  SteppedSearch stepped(data(), quick(30));
  EXPECT_THROW(stepped.tell(0, 1.0), Error);  // nobody asked
  const SearchTask task = *stepped.ask();
  const Evidence good = evaluated(task);
  Evidence bad = good;
  bad.value = std::nan("");
  EXPECT_THROW(stepped.tell(task.number, bad), Error);
  bad = good;
  bad.parameters.push_back(1.0);
  EXPECT_THROW(stepped.tell(task.number, bad), Error);
  bad = good;
  bad.outcome = FitOutcome::interrupted;
  EXPECT_THROW(stepped.tell(task.number, bad), Error);
  stepped.tell(task.number, good);
  EXPECT_THROW(stepped.tell(task.number, good), Error);  // told already
}

}  // namespace
}  // namespace covary
