// Many rows: kernels are compared on few of them first.
#include "search/ladder.h"

#include <atomic>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <covary/evidence.h>
#include <covary/search.h>
#include <covary/stepped_search.h>

#include "unit/series.h"

namespace covary {
namespace {

const Dataset& long_series() {
  static const Dataset data = series(
      900, [](int i) { return 0.01 * i; },
      [](int i) { return std::sin(0.2 * i) + 0.004 * i + 0.3 * std::sin(1e4 * i * i); });
  return data;
}

SearchOptions few_evaluations() {
  SearchOptions options;
  options.space.space = "SE,LIN";
  options.max_evaluations = 5;
  options.evidence.transform = TargetTransform::none;
  options.evidence.restarts = 4;
  options.threads = 2;
  options.deterministic = true;
  return options;
}

std::vector<std::string> lines(const std::vector<SearchRecord>& history) {
  std::vector<std::string> text;
  text.reserve(history.size());
  for (const SearchRecord& record : history) {
    text.push_back(fmt::format("{} {} {} {}", record.index, to_string(record.kernel),
                               record.evidence.rows, record.evidence.value.value_or(0.0)));
  }
  return text;
}

TEST(Ladder, RisesFromFewRowsToAsManyAsAFitCanTake) {
  for (const std::size_t rows :
       {50U, 700U, 751U, 1440U, 3000U, 6000U, 6001U, 9568U, 30'000U, 30'001U, 1'000'000U}) {
    const std::vector<Rung> rungs = ladder_of(rows, {});
    EXPECT_EQ(rungs.size() == 1, rows <= 750) << rows;
    for (std::size_t r = 1; r < rungs.size(); ++r) {
      EXPECT_GT(rungs[r].num_rows, rungs[r - 1].num_rows) << rows;
      EXPECT_LE(rungs[r].num_promoted, r == 1 ? 10U : rungs[r - 1].num_promoted) << rows;
      EXPECT_GT(rungs[r].num_promoted, 0U) << rows;
      EXPECT_EQ(rungs[r].is_refinement, r + 1 == rungs.size() && rows > 6000 && rows <= 30'000);
    }
    EXPECT_EQ(rungs.back().judged_rows == 0, rows <= 30'000) << rows;
    EXPECT_EQ(rungs.back().num_rows, rows <= 30'000 ? rows : 4500U) << rows;
    SearchOptions exact;
    exact.fidelity = Fidelity::exact;
    EXPECT_EQ(ladder_of(rows, exact).size(), 1U);
  }
}

TEST(Ladder, SearchComparesTheBestOnAllRowsAndTheModelIsOfThem) {
  const SearchResult result = search(long_series(), few_evaluations());
  std::size_t num_above = 0;
  double best = -1e300;
  for (const SearchRecord& record : result.history) {
    EXPECT_EQ(record.evidence.rows, rung_of(record.index) == 0 ? 500U : 900U);
    if (rung_of(record.index) == 0) continue;
    ++num_above;
    best = std::max(best, record.evidence.value.value_or(best));
  }
  EXPECT_EQ(num_above, 5U);
  EXPECT_EQ(result.value, best);
  EXPECT_EQ(result.finalists.front().evidence.rows, 900U);
  EXPECT_EQ(result.model.data().num_rows(), 900U);
}

// A search that is killed on any rung ends as one that was not.
TEST(Ladder, ResumedSearchEndsAsOneThatWasNot) {
  const SearchOptions options = few_evaluations();
  const std::vector<std::string> whole = lines(search(long_series(), options).history);
  for (const std::size_t stop_after : {3U, 6U, 8U}) {
    const std::string folder =
        fmt::format("{}covary_ladder_{}.covary", testing::TempDir(), stop_after);
    std::filesystem::remove_all(folder);
    struct Stopper final : SearchObserver {
      std::atomic<bool> flag{false};
      std::size_t left = 0;
      void recorded(const SearchRecord& /*record*/, const SearchRecord* /*best*/) override {
        if (--left == 0) flag = true;
      }
    } stopper;
    stopper.left = stop_after;
    try {
      const SearchResult part =
          search_in_folder(long_series(), options, {.folder = folder}, {&stopper}, &stopper.flag);
      EXPECT_EQ(part.end, SearchEnd::interrupted);
      EXPECT_LE(part.history.size(), whole.size());  // those under way may be done
    } catch (const SearchInterrupted&) {
    }
    const SearchResult rest =
        search_in_folder(long_series(), options, {.folder = folder, .resume = true});
    EXPECT_EQ(lines(rest.history), whole) << stop_after;
    std::filesystem::remove_all(folder);
  }
}

// Rows that are many, on a line, so that a fit takes few steps.
const Dataset& very_long_series() {
  static const Dataset data = series(
      6001, [](int i) { return 0.001 * i; },
      [](int i) { return std::sin(0.01 * i) + 3e-4 * i + 0.5 * std::sin(1e4 * i * i); });
  return data;
}

SearchOptions two_kernels() {
  SearchOptions options = few_evaluations();
  options.max_evaluations = 2;
  options.evidence.restarts = 1;
  options.evidence.max_iterations = 2;
  options.evidence.criterion = Criterion::bic;  // whose value takes no gradients
  return options;
}

// Of more rows than kernels are compared on the best is fitted to all, from the parameters that it
// was chosen with; the user hears of it step by step, and the others stay comparable. Stopped
// there, it goes on and ends the same.
TEST(Ladder, TheBestOfVeryManyRowsIsFittedToAllOfThem) {
  struct Listener final : SearchObserver {
    std::vector<std::size_t> steps;
    std::size_t num_rows = 0;
    std::atomic<bool> flag{false};
    bool stops = false;
    void refining(const WorkEstimate& estimate, std::size_t num_kernels,
                  std::size_t num_steps) override {
      num_rows = estimate.num_rows;
      EXPECT_EQ(num_kernels, 1U);
      EXPECT_GE(num_steps, 1U);
      EXPECT_GT(estimate.seconds, 0.0);
    }
    void stepping(std::size_t num_done, std::size_t /*num_at_most*/) override {
      steps.push_back(num_done);
      if (stops && steps.size() == 2) flag = true;
    }
  };
  const Dataset& data = very_long_series();
  const std::string folder = testing::TempDir() + "covary_ladder_all.covary";
  std::filesystem::remove_all(folder);
  Listener stopper;
  stopper.stops = true;
  EXPECT_THROW(static_cast<void>(search_in_folder(data, two_kernels(), {.folder = folder},
                                                  {&stopper}, &stopper.flag)),
               SearchInterrupted);
  EXPECT_EQ(stopper.num_rows, 6001U);
  Listener listener;
  const SearchResult rest =
      search_in_folder(data, two_kernels(), {.folder = folder, .resume = true}, {&listener});
  EXPECT_EQ(listener.steps.front(), 0U);
  std::filesystem::remove_all(folder);

  const SearchRecord& last = rest.history.back();
  EXPECT_EQ(rung_of(last.index), 3U);
  EXPECT_EQ(last.evidence.rows, 6001U);
  ASSERT_TRUE(last.evidence.value.has_value());
  EXPECT_EQ(rest.value, *last.evidence.value);
  EXPECT_EQ(rest.model.parameters(), last.evidence.parameters);
  ASSERT_GT(rest.finalists.size(), 1U);
  EXPECT_EQ(rest.finalists[0].evidence.rows, 6001U);
  for (std::size_t i = 1; i < rest.finalists.size(); ++i) {
    EXPECT_EQ(rest.finalists[i].evidence.rows, 4500U);
    EXPECT_EQ(behind(rest.finalists, i),
              *rest.finalists[1].evidence.value - *rest.finalists[i].evidence.value);
  }
  EXPECT_TRUE(same_polynomial(rest.finalists[0].kernel, rest.finalists[1].kernel));
  const double before = FittedModel(last.kernel, rest.finalists[1].evidence.parameters, data)
                            .log_marginal_likelihood();
  EXPECT_GE(last.evidence.log_marginal_likelihood, before - 1.0);

  SearchOptions alone = two_kernels();
  alone.threads = 1;
  EXPECT_EQ(lines(search(data, alone).history), lines(rest.history));
}

TEST(Ladder, SteppedSearchIsTheSameSearch) {
  const SearchOptions options = few_evaluations();
  SteppedSearch stepped(long_series(), options);
  while (const std::optional<SearchTask> task = stepped.ask(3)) {
    const auto oracle = make_oracle(long_series(), task->evidence);
    stepped.tell(task->number, oracle->evaluate(task->kernel, task->warm_starts));
  }
  EXPECT_TRUE(stepped.is_done());
  const SearchResult other = search(long_series(), options);
  const SearchResult result = stepped.result();
  EXPECT_EQ(lines(result.history), lines(other.history));
  EXPECT_EQ(result.kernel, other.kernel);
  EXPECT_EQ(result.value, other.value);
}

}  // namespace
}  // namespace covary
