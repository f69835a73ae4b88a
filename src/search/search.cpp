#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>
#include <optional>
#include <thread>
#include <utility>

#include <covary/search.h>

#include "base/parallel.h"
#include "search/run_search.h"
#include "search/search_loop.h"

namespace covary {
namespace {

// The evaluations of one rung. Whoever interrupts in the middle of a proposal keeps the kernels
// that were done by then.
SearchEnd led(SearchLoop& loop, const std::function<std::optional<SearchEnd>()>& should_end,
              const std::function<bool()>& is_interrupted) {
  try {
    const StopScope scope(is_interrupted);
    return loop.run(should_end);
  } catch (const WorkStopped&) {
    return SearchEnd::interrupted;
  }
}

SearchResult searched(const Dataset& data, const SearchOptions& search_options, SearchStart start,
                      const std::vector<SearchObserver*>& observers,
                      const std::atomic<bool>* interrupted) {
  const auto is_interrupted = [&] { return interrupted != nullptr && interrupted->load(); };
  std::optional<StopScope> scope(std::in_place, is_interrupted);
  if (is_screened(data)) {
    for (SearchObserver* observer : observers) observer->screened(data);
  }
  SearchSetup setup(inputs_of(data), &data, search_options, std::move(start));
  const SearchOptions& options = setup.options();
  std::atomic<bool> stop{false};
  const StepObserver stepping = [&](std::size_t num_done, std::size_t num_at_most) {
    for (SearchObserver* observer : observers) observer->stepping(num_done, num_at_most);
  };
  // What stands in the way is said before anything starts.
  const auto oracle_of = [&](const EvidenceOptions& evidence) {
    return std::make_unique<JudgingOracle>(make_oracle(data, evidence, &stop, stepping), setup);
  };
  std::unique_ptr<Oracle> oracle = oracle_of(setup.evidence());
  for (SearchObserver* observer : observers) {
    const SearchPlan& plan = setup.plan();
    observer->starting(plan.max_evaluations, std::min(plan.done.size(), plan.max_evaluations));
  }
  if (!options.evidence.transform) {
    setup.choose_transform(data, interrupted);
    oracle = oracle_of(setup.evidence());
  }
  const double limit =
      options.time_limit > 0.0 ? options.time_limit : std::numeric_limits<double>::infinity();
  scope.reset();  // what is done by then may be worth a result
  std::vector<SearchRecord> history;
  std::optional<double> expected_gain;
  SearchEnd end = SearchEnd::max_evaluations;
  double seconds = 0.0;
  while (true) {
    std::vector<SearchRecord> here;  // on this rung
    {
      stop = false;
      SearchLoop loop(*oracle, setup.strategy(), setup.plan(), observers, stop);
      const auto should_end = [&]() -> std::optional<SearchEnd> {
        if (is_interrupted()) return SearchEnd::interrupted;
        if (loop.wall_seconds() > setup.share_of_time() * limit) return SearchEnd::time_limit;
        return std::nullopt;
      };
      const SearchEnd reason = led(loop, should_end, is_interrupted);
      // Above the first rung only what cuts it short is worth telling.
      const bool is_cut = reason == SearchEnd::interrupted || reason == SearchEnd::time_limit;
      if (history.empty() || is_cut) end = reason;
      if (history.empty()) expected_gain = loop.expected_gain();
      seconds = loop.wall_seconds();
      here = loop.history();
    }
    history.insert(history.end(), here.begin(), here.end());
    if (end == SearchEnd::interrupted || !setup.climb(std::move(here), seconds)) break;
    oracle.reset();  // before the next one takes its memory
    oracle = oracle_of(setup.evidence());
    tell_of_climb(setup, observers);
  }

  std::vector<Finalist> finalists = finalists_of(history, setup.ladder(), options, end);
  const double begin = wall_seconds() - seconds;
  if (end != SearchEnd::interrupted) {
    for (SearchObserver* observer : observers) observer->ended(end, expected_gain);
  }
  if (end != SearchEnd::interrupted && setup.are_finalists_refitted()) {
    for (SearchObserver* observer : observers) observer->finishing(finalists.size());
    stop = false;
    // The watch ends what is under way when the user or the clock says so.
    const std::jthread watch([&](const std::stop_token& is_done) {
      while (!is_done.stop_requested()) {
        if (is_interrupted() || wall_seconds() - begin > limit) stop = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
    const std::unique_ptr<Oracle> thorough = oracle_of(setup.evidence_of_finalists());
    parallel_for(setup.plan().num_threads, finalists.size(), [&](std::size_t i, std::size_t) {
      Finalist& finalist = finalists[i];
      improve(finalist, thorough->evaluate(finalist.kernel,
                                           {{finalist.kernel, finalist.evidence.parameters}}));
    });
  }
  LongWork work{.should_stop = is_interrupted};
  work.starting = [&](const WorkEstimate& estimate) {
    for (SearchObserver* observer : observers) observer->conditioning(estimate);
  };
  SearchResult result =
      result_of(data, options, std::move(finalists), std::move(history), wall_seconds() - begin,
                is_interrupted() ? SearchEnd::interrupted : end, work);
  result.expected_gain = expected_gain;
  return result;
}

}  // namespace

SearchResult run_search(const Dataset& data, const SearchOptions& options, SearchStart start,
                        const std::vector<SearchObserver*>& observers,
                        const std::atomic<bool>* interrupted) {
  try {
    return searched(data, options, std::move(start), observers, interrupted);
  } catch (const WorkStopped&) {
    throw SearchInterrupted();
  }
}

SearchResult search(const Dataset& data, const SearchOptions& options,
                    const std::vector<SearchObserver*>& observers,
                    const std::atomic<bool>* interrupted) {
  return run_search(screened(data, options), options, {}, observers, interrupted);
}

}  // namespace covary
