#include <chrono>
#include <limits>
#include <thread>
#include <utility>

#include <covary/search.h>

#include "base/parallel.h"
#include "search/run_search.h"
#include "search/search_loop.h"

namespace covary {

SearchResult run_search(const Dataset& data, const SearchOptions& search_options, SearchStart start,
                        const std::vector<SearchObserver*>& observers,
                        const std::atomic<bool>* interrupted) {
  SearchSetup setup(inputs_of(data), &data, search_options, std::move(start));
  const SearchOptions& options = setup.options();
  std::atomic<bool> stop{false};
  // What stands in the way is said before anything starts.
  const auto oracle_of = [&](const EvidenceOptions& evidence) {
    return std::make_unique<JudgingOracle>(make_oracle(data, evidence, &stop), setup);
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
  SearchPlan plan = std::move(setup.plan());
  const std::size_t num_threads = plan.num_threads;

  SearchLoop loop(*oracle, setup.strategy(), std::move(plan), observers, stop);
  const double limit =
      options.time_limit > 0.0 ? options.time_limit : std::numeric_limits<double>::infinity();
  const auto is_interrupted = [&] { return interrupted != nullptr && interrupted->load(); };
  const SearchEnd end = loop.run([&]() -> std::optional<SearchEnd> {
    if (is_interrupted()) return SearchEnd::interrupted;
    if (loop.wall_seconds() > (1.0 - share_for_finalists) * limit) return SearchEnd::time_limit;
    return std::nullopt;
  });

  std::vector<Finalist> finalists = finalists_of(loop.history(), options, end);
  if (end != SearchEnd::interrupted) {
    for (SearchObserver* observer : observers) observer->ended(end, loop.expected_gain());
    for (SearchObserver* observer : observers) observer->finishing(finalists.size());
    stop = false;
    // The watch ends what is under way when the user or the clock says so.
    const std::jthread watch([&](const std::stop_token& is_done) {
      while (!is_done.stop_requested()) {
        if (is_interrupted() || loop.wall_seconds() > limit) stop = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
    const std::unique_ptr<Oracle> thorough = oracle_of(setup.evidence_of_finalists());
    parallel_for(num_threads, finalists.size(), [&](std::size_t i, std::size_t) {
      Finalist& finalist = finalists[i];
      improve(finalist, thorough->evaluate(finalist.kernel,
                                           {{finalist.kernel, finalist.evidence.parameters}}));
    });
  }
  SearchResult result =
      result_of(data, options, std::move(finalists), loop.history(), loop.wall_seconds(),
                is_interrupted() ? SearchEnd::interrupted : end);
  result.expected_gain = loop.expected_gain();
  return result;
}

SearchResult search(const Dataset& data, const SearchOptions& options,
                    const std::vector<SearchObserver*>& observers,
                    const std::atomic<bool>* interrupted) {
  return run_search(data, options, {}, observers, interrupted);
}

}  // namespace covary
