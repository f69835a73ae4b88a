// The loop with an oracle that scores by a formula: what is proposed, in which order it is known,
// and that neither threads nor interruptions show in the history.
#include "search/search_loop.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include <covary/distance.h>
#include <covary/search.h>
#include <covary/table.h>

#include "acquisition/propose.h"
#include "unit/series.h"

namespace covary {
namespace {

Expression parse(const std::string& text) { return parse_expression(text, InputNames::unnamed(1)); }

// The nearer to a hidden kernel, the better; some kernels cannot be fitted, and some take long.
class FormulaOracle final : public Oracle {
 public:
  explicit FormulaOracle(const std::string& hidden, const std::atomic<bool>* stop = nullptr)
      : hidden_(parse(hidden)), stop_(stop) {}

  Evidence evaluate(const Expression& kernel, const std::vector<WarmStart>& warm) const override {
    std::this_thread::sleep_for(std::chrono::microseconds(kernel.tree_hash() % 2000));
    Evidence evidence;
    if (stop_ != nullptr && stop_->load()) {
      evidence.outcome = FitOutcome::interrupted;
      return evidence;
    }
    if (kernel.tree_hash() % 10 == 0) return evidence;  // not positive definite
    const TransportDistances d = transport_distances(kernel, hidden_);
    evidence.outcome = FitOutcome::converged;
    // Warm starts are part of what a value depends on; they must be the same every time.
    evidence.value = -(d.base + d.paths + d.subtrees) - 1e-6 * static_cast<double>(warm.size());
    evidence.parameters.assign(kernel.num_parameters() + 1, 1.0);
    return evidence;
  }

 private:
  Expression hidden_;
  const std::atomic<bool>* stop_;
};

constexpr SearchMethod all_methods[] = {SearchMethod::sot, SearchMethod::hellinger,
                                        SearchMethod::greedy, SearchMethod::treegep,
                                        SearchMethod::random};

// Only the Hellinger distance sees it.
const Dataset& data() {
  static const Dataset result = series(
      30, [](int i) { return 0.1 * i; }, [](int i) { return i % 7; });
  return result;
}

const Grammar& grammar() {
  static const Grammar result(make_search_space({}, InputNames::unnamed(1)));
  return result;
}

SearchPlan plan_of(std::size_t max_evaluations, std::size_t num_threads, std::uint64_t seed = 1) {
  SearchPlan plan;
  Random random(seed);
  plan.initial_kernels =
      grammar().grow(grammar().start_kernels(), 12, random, Grammar::Repeats::left_out);
  plan.max_evaluations = max_evaluations;
  plan.num_under_way = 3;
  plan.num_threads = num_threads;
  plan.seed = seed;
  return plan;
}

struct Outcome {
  SearchEnd end = SearchEnd::max_evaluations;
  std::vector<SearchRecord> history;
  std::vector<std::string> lines;  // kernel and value
};

Outcome run(
    SearchPlan plan, const SearchOptions& options = {}, std::vector<SearchObserver*> observers = {},
    const std::function<std::optional<SearchEnd>()>& should_end = [] { return std::nullopt; }) {
  std::atomic<bool> stop{false};
  const FormulaOracle oracle("LIN*(PER*SE + SE) + RQ", &stop);
  const auto strategy = make_strategy(grammar(), options, &data());
  SearchLoop loop(oracle, *strategy, std::move(plan), std::move(observers), stop);
  Outcome result;
  result.end = loop.run(should_end);
  result.history = loop.history();
  for (const SearchRecord& record : result.history) {
    const auto& value = record.evidence.value;
    result.lines.push_back(to_string(record.kernel) + " " + (value ? std::to_string(*value) : "-"));
  }
  return result;
}

double best_of(const Outcome& run) {
  double best = -1e300;
  for (const SearchRecord& record : run.history)
    best = std::max(best, record.evidence.value.value_or(best));
  return best;
}

TEST(SearchLoop, HistoryDoesNotDependOnTheNumberOfThreads) {
  for (const SearchMethod method : all_methods) {
    SearchOptions options;
    options.method = method;
    const Outcome one = run(plan_of(40, 1), options);
    ASSERT_EQ(one.history.size(), 40U);
    for (const std::size_t threads : {2U, 3U, 8U})
      EXPECT_EQ(run(plan_of(40, threads), options).lines, one.lines);
  }
}

// As on a higher rung of a search of many rows: kernels that came up, and then parts of the best.
SearchPlan plan_with_parts(const std::vector<std::string>& kernels, std::size_t num_simplified) {
  SearchPlan plan = plan_of(kernels.size() + num_simplified, 2);
  plan.initial_kernels.clear();
  for (const std::string& kernel : kernels) plan.initial_kernels.push_back(parse(kernel));
  plan.num_simplified = num_simplified;
  return plan;
}

TEST(SearchLoop, TriesTheBestKernelWithoutEachOfItsPartsWhereThatIsPlanned) {
  const std::vector<std::string> kernels = {"SE + RQ", "LIN*(PER*SE + SE) + (RQ + LIN)*PER", "PER"};
  const Outcome found = run(plan_with_parts(kernels, 6));
  ASSERT_EQ(found.history.size(), kernels.size() + 6);
  std::vector<Expression> bests;
  double best = -1e300;
  for (std::size_t i = 0; i < found.history.size(); ++i) {
    const SearchRecord& record = found.history[i];
    if (i >= kernels.size()) {
      const bool is_part = std::any_of(bests.begin(), bests.end(), [&](const Expression& whole) {
        const std::vector<Expression> parts = pruned(whole);
        return std::any_of(parts.begin(), parts.end(),
                           [&](const Expression& part) { return identical(part, record.kernel); });
      });
      EXPECT_TRUE(is_part) << to_string(record.kernel);
    }
    if (record.evidence.value.value_or(best) > best) {
      best = *record.evidence.value;
      bests.push_back(record.kernel);
    }
  }
  EXPECT_EQ(found.lines, run(plan_with_parts(kernels, 6)).lines);
}

TEST(SearchLoop, EndsBeforeWhereNoPartIsLeftToTry) {
  const Outcome found = run(plan_with_parts({"SE + PER"}, 10));
  EXPECT_LT(found.history.size(), 11U);
  EXPECT_EQ(found.end, SearchEnd::nothing_expected);
}

TEST(SearchLoop, TriesPartsInTheSameOrderWhenItIsResumed) {
  const std::vector<std::string> kernels = {"LIN*(PER*SE + SE) + (RQ + LIN)*PER", "PER"};
  const Outcome whole = run(plan_with_parts(kernels, 6));
  for (std::size_t done = 0; done < whole.history.size(); ++done) {
    SearchPlan plan = plan_with_parts(kernels, 6);
    for (std::size_t i = 0; i < done; ++i) plan.done.emplace(i, whole.history[i]);
    EXPECT_EQ(run(std::move(plan)).lines, whole.lines) << done;
  }
}

TEST(SearchLoop, ResumedFromAnySubsetOfItsEvaluationsItGoesOnAsIfNeverStopped) {
  for (const SearchMethod method : all_methods) {
    SearchOptions options;
    options.method = method;
    const Outcome whole = run(plan_of(36, 2), options);
    Random random(5);
    const int times = method == SearchMethod::sot ? 12 : 3;
    for (int i = 0; i < times; ++i) {
      // A prefix was done; of those under way behind it, some were and some were not.
      SearchPlan plan = plan_of(36, 2);
      const std::size_t prefix = random.index(36);
      for (std::size_t k = 0; k < std::min<std::size_t>(prefix + 3, 36); ++k) {
        if (k < prefix || random.index(2) == 0) plan.done.emplace(k, whole.history[k]);
      }
      EXPECT_EQ(run(std::move(plan), options).lines, whole.lines) << "after " << prefix;
    }
  }
}

class CountingObserver final : public SearchObserver {
 public:
  void evaluated(const SearchRecord& record) override { ++times[record.index]; }
  std::map<std::size_t, int> times;
};

TEST(SearchLoop, EvaluatesNothingTwiceAndNothingThatIsDone) {
  const Outcome whole = run(plan_of(30, 2));
  SearchPlan plan = plan_of(30, 2);
  for (std::size_t k = 0; k < 17; ++k) plan.done.emplace(k, whole.history[k]);
  CountingObserver counter;
  run(std::move(plan), {}, {&counter});
  ASSERT_EQ(counter.times.size(), 13U);
  EXPECT_EQ(counter.times.begin()->first, 17U);
  for (const auto& [index, times] : counter.times) EXPECT_EQ(times, 1) << index;
}

TEST(SearchLoop, NeverProposesTheSameTreeAgainFailedOnesIncluded) {
  std::set<std::string> keys;
  std::size_t num_failed = 0;
  for (const SearchRecord& record : run(plan_of(80, 2)).history) {
    EXPECT_TRUE(keys.insert(tree_key(record.kernel)).second) << record.kernel;
    num_failed += record.evidence.value ? 0U : 1U;
  }
  EXPECT_GT(num_failed, 0U);
}

TEST(SearchLoop, WithUniquePolynomialsNeverProposesTheSamePolynomialAgain) {
  SearchOptions options;
  options.unique = Uniqueness::polynomial;
  SearchPlan plan = plan_of(60, 2);
  plan.initial_kernels = grammar().start_kernels();
  std::set<std::string> keys;
  for (const SearchRecord& record : run(std::move(plan), options).history) {
    EXPECT_TRUE(keys.insert(polynomial_key(record.kernel)).second) << record.kernel;
  }
}

TEST(SearchLoop, BeatsRandomSearchOnASmoothProblem) {
  int num_wins = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    SearchOptions random;
    random.method = SearchMethod::random;
    const double informed = best_of(run(plan_of(50, 2, seed)));
    num_wins += informed > best_of(run(plan_of(50, 2, seed), random)) ? 1 : 0;
  }
  EXPECT_GE(num_wins, 9);
}

TEST(SearchLoop, AnExhaustedSpaceEndsTheSearch) {
  const Grammar small(
      make_search_space({.space = "SE,LIN", .max_leaves = 2}, InputNames::unnamed(1)));
  std::atomic<bool> stop{false};
  const FormulaOracle oracle("SE");
  const auto strategy = make_strategy(small, {}, &data());
  SearchPlan plan = plan_of(100, 2);
  plan.initial_kernels = small.start_kernels();
  SearchLoop loop(oracle, *strategy, std::move(plan), {}, stop);
  EXPECT_EQ(loop.run([] { return std::nullopt; }), SearchEnd::exhausted);
  // SE, LIN, and SE+SE, SE+LIN, SE*LIN, LIN*LIN; but LIN+LIN is LIN, SE*SE is SE.
  EXPECT_EQ(loop.history().size(), 6U);
}

// A plan that ends by the rule, some way behind the initial set.
SearchPlan open_plan(std::size_t num_threads, std::uint64_t seed = 1) {
  SearchPlan plan = plan_of(300, num_threads, seed);
  plan.stopping_rule = StoppingRule{.num_ahead = 10, .least_gain = 0.01};
  return plan;
}

TEST(SearchLoop, EndsWhenNothingMoreIsExpectedAtTheSamePlaceForAnyNumberOfThreads) {
  const Outcome one = run(open_plan(1));
  EXPECT_EQ(one.end, SearchEnd::nothing_expected);
  EXPECT_GE(one.lines.size(), 12U + 10U);
  EXPECT_LT(one.lines.size(), 300U);
  for (const std::size_t threads : {2U, 3U}) {
    const Outcome other = run(open_plan(threads));
    EXPECT_EQ(other.end, SearchEnd::nothing_expected);
    EXPECT_EQ(other.lines, one.lines);
  }
  // Not before the rule says so: the history without those under way at the last proposal is what
  // it saw. What comes after is the best kernel without one of its parts, of which nothing is
  // promised.
  const std::span<const SearchRecord> history = one.history;
  const auto is_promised = [](const SearchRecord& record) {
    return record.is_initial || record.predicted_mean.has_value();
  };
  const auto num_promised =
      static_cast<std::size_t>(std::count_if(history.begin(), history.end(), is_promised));
  EXPECT_TRUE(std::all_of(
      history.begin(), history.begin() + static_cast<std::ptrdiff_t>(num_promised), is_promised));
  const StoppingRule rule = *open_plan(1).stopping_rule;
  const auto gain_after = [&](std::size_t n) { return expected_gain(history.first(n), 1.0, rule); };
  EXPECT_LT(*gain_after(num_promised - 2), rule.least_gain);
  EXPECT_GE(*gain_after(num_promised - 3), rule.least_gain);
}

TEST(SearchLoop, EndsWhereKernelsMayBeProposedAgain) {
  SearchPlan plan = open_plan(2);
  plan.unique = Uniqueness::none;
  const Outcome outcome = run(std::move(plan));
  EXPECT_EQ(outcome.end, SearchEnd::nothing_expected);
  std::set<std::string> parts_left_out;
  for (const SearchRecord& record : outcome.history) {
    if (record.is_initial || record.predicted_mean) continue;
    EXPECT_TRUE(parts_left_out.insert(tree_key(record.kernel)).second) << record.kernel;
  }
}

TEST(SearchLoop, InTheEndNoPartOfTheBestKernelIsThereInVain) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Outcome outcome = run(open_plan(2, seed));
    ASSERT_EQ(outcome.end, SearchEnd::nothing_expected);
    const SearchRecord& best = *std::max_element(outcome.history.begin(), outcome.history.end(),
                                                 [](const SearchRecord& a, const SearchRecord& b) {
                                                   return a.evidence.value.value_or(-1e300) <
                                                          b.evidence.value.value_or(-1e300);
                                                 });
    for (const Expression& rest : pruned(best.kernel)) {
      if (2 * rest.num_leaves() < best.kernel.num_leaves()) continue;
      const Expression shortest = shortest_form(rest);
      EXPECT_TRUE(std::any_of(outcome.history.begin(), outcome.history.end(),
                              [&](const SearchRecord& record) {
                                return same_tree(shortest_form(record.kernel), shortest);
                              }) ||
                  shortest.num_leaves() < rest.num_leaves())
          << rest << " of " << best.kernel;
    }
  }
}

// One of the initial kernels is the best, and has a part that it could do without.
SearchPlan simplifying_plan(std::size_t num_threads) {
  SearchPlan plan = plan_of(40, num_threads);
  plan.initial_kernels = grammar().start_kernels();
  plan.initial_kernels.push_back(parse("LIN*(PER*SE + SE) + RQ + PER"));
  plan.simplifies_first = true;
  return plan;
}

TEST(SearchLoop, TheBestInitialKernelIsTriedWithoutItsPartsBeforeOthersAreProposed) {
  SearchPlan plan = simplifying_plan(1);
  plan.num_under_way = 1;
  const std::vector<SearchRecord> history = run(std::move(plan)).history;
  const auto proposed =
      std::find_if(history.begin(), history.end(),
                   [](const SearchRecord& record) { return record.predicted_mean.has_value(); });
  ASSERT_NE(proposed, history.end());
  EXPECT_TRUE(std::all_of(proposed, history.end(), [](const SearchRecord& record) {
    return record.predicted_mean.has_value();
  }));
  const Expression hidden = parse("LIN*(PER*SE + SE) + RQ");
  std::set<std::string> tried;
  for (auto record = history.begin(); record != proposed; ++record) {
    tried.insert(tree_key(shortest_form(record->kernel)));
  }
  EXPECT_TRUE(tried.contains(tree_key(hidden)));
  for (const Expression& rest : pruned(hidden)) {
    if (2 * rest.num_leaves() < hidden.num_leaves()) continue;
    EXPECT_TRUE(tried.contains(tree_key(shortest_form(rest)))) << rest;
  }
}

TEST(SearchLoop, WhatIsSimplifiedFirstDependsNeitherOnThreadsNorOnInterruptions) {
  const Outcome whole = run(simplifying_plan(1));
  EXPECT_EQ(run(simplifying_plan(3)).lines, whole.lines);
  Random random(7);
  for (int i = 0; i < 4; ++i) {
    SearchPlan plan = simplifying_plan(2);
    const std::size_t prefix = random.index(30);
    for (std::size_t k = 0; k < prefix + 3; ++k) {
      if (k < prefix || random.index(2) == 0) plan.done.emplace(k, whole.history[k]);
    }
    EXPECT_EQ(run(std::move(plan)).lines, whole.lines) << "after " << prefix;
  }
}

TEST(SearchLoop, ResumedFromAnySubsetItEndsWhereTheRuleEndedIt) {
  const Outcome whole = run(open_plan(2));
  const std::size_t size = whole.history.size();
  Random random(6);
  for (int i = 0; i < 4; ++i) {
    SearchPlan plan = open_plan(2);
    const std::size_t prefix = i == 0 ? size : random.index(size);
    for (std::size_t k = 0; k < std::min(prefix + 3, size); ++k) {
      if (k < prefix || random.index(2) == 0) plan.done.emplace(k, whole.history[k]);
    }
    const Outcome resumed = run(std::move(plan));
    EXPECT_EQ(resumed.lines, whole.lines) << "after " << prefix;
    EXPECT_EQ(resumed.end, SearchEnd::nothing_expected);
  }
}

TEST(SearchLoop, TheRuleDoesNotStandBeforeWhatIsDone) {
  const std::size_t size = run(open_plan(2)).lines.size() + 20;
  const Outcome more = run(plan_of(size, 2));
  SearchPlan plan = open_plan(2);
  for (const SearchRecord& record : more.history) plan.done.emplace(record.index, record);
  const Outcome resumed = run(std::move(plan));
  ASSERT_GE(resumed.lines.size(), size);
  EXPECT_TRUE(std::equal(more.lines.begin(), more.lines.end(), resumed.lines.begin()));
}

TEST(SearchLoop, AnInterruptedHistoryIsTheBeginningOfTheWholeOne) {
  const Outcome whole = run(plan_of(40, 2));
  for (const int patience : {0, 3, 20, 35}) {
    int num_asked = 0;
    const Outcome part = run(plan_of(40, 2), {}, {}, [&]() -> std::optional<SearchEnd> {
      if (num_asked++ < patience) return std::nullopt;
      return SearchEnd::interrupted;
    });
    EXPECT_EQ(part.end, SearchEnd::interrupted);
    ASSERT_LT(part.lines.size(), whole.lines.size());
    EXPECT_TRUE(std::equal(part.lines.begin(), part.lines.end(), whole.lines.begin()));
  }
}

class ThrowingObserver final : public SearchObserver {
 public:
  void evaluated(const SearchRecord& record) override {
    if (record.index == 9) throw Error(ErrorKind::disk, "the disk is full");
  }
};

TEST(SearchLoop, AFullDiskEndsTheSearchWithItsError) {
  ThrowingObserver observer;
  EXPECT_THROW(run(plan_of(40, 2), {}, {&observer}), Error);
}

TEST(SearchLoop, ATimeLimitThatIsOverDoesNotStandBeforeWhatIsDone) {
  const Outcome whole = run(plan_of(36, 2));
  SearchPlan plan = plan_of(36, 2);
  for (std::size_t k = 0; k < 20; ++k) plan.done.emplace(k, whole.history[k]);
  const Outcome resumed = run(std::move(plan), {}, {}, [] { return SearchEnd::time_limit; });
  EXPECT_EQ(resumed.end, SearchEnd::time_limit);
  EXPECT_EQ(resumed.lines, std::vector<std::string>(whole.lines.begin(), whole.lines.begin() + 20));
}

// The first kernel's evaluation ends once another has begun; the others go on until they are told
// to stop, at the latest for ten seconds.
class EndlessOracle final : public Oracle {
 public:
  explicit EndlessOracle(const std::atomic<bool>& stop) : stop_(stop) {}

  Evidence evaluate(const Expression& kernel, const std::vector<WarmStart>& /*warm*/) const final {
    Evidence evidence;
    ++num_begun;
    // By the kernel, not by the order of beginning: two threads may begin in any order.
    if (tree_key(kernel) == tree_key(plan_of(1, 1).initial_kernels.front())) {
      wait_until([this] { return num_begun > 1; });
      evidence.outcome = FitOutcome::converged;
      evidence.value = 1.0;
      evidence.parameters.assign(kernel.num_parameters() + 1, 1.0);
      return evidence;
    }
    wait_until([this] { return stop_.load(); });
    if (stop_) ++num_stopped;
    evidence.outcome = FitOutcome::interrupted;
    return evidence;
  }

  mutable std::atomic<int> num_begun{0};
  mutable std::atomic<int> num_stopped{0};

 private:
  static void wait_until(const std::function<bool()>& condition) {
    for (int i = 0; i < 10'000 && !condition(); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }

  const std::atomic<bool>& stop_;
};

TEST(SearchLoop, NothingIsUnderWayAfterATimeLimitNorBeginsLater) {
  std::atomic<bool> stop{false};
  const EndlessOracle oracle(stop);
  const auto strategy = make_strategy(grammar(), {}, &data());
  SearchLoop loop(oracle, *strategy, plan_of(40, 2), {}, stop);
  const SearchEnd end = loop.run([&]() -> std::optional<SearchEnd> {
    return oracle.num_begun > 2 ? std::optional(SearchEnd::time_limit) : std::nullopt;
  });
  EXPECT_EQ(end, SearchEnd::time_limit);
  EXPECT_EQ(loop.history().size(), 1U);
  const int num_begun = oracle.num_begun;
  EXPECT_EQ(oracle.num_stopped, num_begun - 1);
  stop = false;  // as for the finalists
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(oracle.num_begun, num_begun);
}

class FirstThrowingObserver final : public SearchObserver {
 public:
  void evaluated(const SearchRecord& /*record*/) override {
    throw Error(ErrorKind::disk, "the disk is full");
  }
};

TEST(SearchLoop, AnErrorEndsTheEvaluationsUnderWay) {
  std::atomic<bool> stop{false};
  const EndlessOracle oracle(stop);
  FirstThrowingObserver observer;
  const auto strategy = make_strategy(grammar(), {}, &data());
  {
    SearchLoop loop(oracle, *strategy, plan_of(40, 2), {&observer}, stop);
    EXPECT_THROW(loop.run([] { return std::nullopt; }), Error);
  }
  EXPECT_EQ(oracle.num_stopped, oracle.num_begun - 1);
}

}  // namespace
}  // namespace covary
