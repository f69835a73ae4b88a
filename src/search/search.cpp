#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include <covary/message_text.h>
#include <covary/search.h>

#include "base/hash.h"
#include "base/parallel.h"
#include "search/run_search.h"
#include "search/search_loop.h"

namespace covary {
namespace {

constexpr std::size_t walk_length = 2;  // of the initial set (paper, A.6)
constexpr std::size_t default_iterations = 50;
constexpr std::size_t paper_steps_of_small_spaces = 6;  // paper, section D: airline
// The part of a time limit that is kept for fitting the finalists once more.
constexpr double share_for_finalists = 0.1;
constexpr std::size_t more_starts = 4;  // times as many for finalists

// The paper's initial set; unless repeats are allowed, trees that are there already make way for
// further kernels of the same making. Greedy search begins with the base kernels alone.
std::vector<Expression> initial_set(const Grammar& grammar, const SearchOptions& options) {
  if (options.method == SearchMethod::greedy) return grammar.start_kernels();
  Random random(combine64(options.seed, 0));
  std::vector<Expression> drawn = grammar.initial_kernels(walk_length, random);
  if (options.unique == Uniqueness::none) return drawn;
  std::vector<Expression> kernels;
  for (Expression& kernel : drawn) {
    const bool is_new = std::none_of(kernels.begin(), kernels.end(), [&](const Expression& other) {
      return options.unique == Uniqueness::polynomial ? same_polynomial(kernel, other)
                                                      : same_tree(kernel, other);
    });
    if (is_new) kernels.push_back(std::move(kernel));
  }
  return grammar.grow(std::move(kernels), drawn.size(), random, true);
}

// No more threads than their matrices fit into memory.
std::size_t affordable_threads(const SearchOptions& options, std::size_t num_rows) {
  constexpr double usable = 0.9;
  const double fitting = usable * machine_bytes() / evaluation_bytes(num_rows);
  const auto wanted = static_cast<double>(options.threads);
  return fitting >= wanted ? options.threads
                           : std::max<std::size_t>(static_cast<std::size_t>(fitting), 1);
}

EvidenceOptions evidence_of(const SearchOptions& options) {
  EvidenceOptions evidence = options.evidence;
  evidence.seed = options.seed;
  evidence.threads = 1;
  evidence.time_limit = 0.0;
  return evidence;
}

// The best kernels of the history, no two of them the same polynomial.
std::vector<Finalist> best_of(const std::vector<SearchRecord>& history, std::size_t count) {
  std::vector<const SearchRecord*> ranked;
  for (const SearchRecord& record : history) {
    if (record.evidence.value) ranked.push_back(&record);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const SearchRecord* a, const SearchRecord* b) {
    return *a->evidence.value > *b->evidence.value;
  });
  std::vector<Finalist> best;
  for (const SearchRecord* record : ranked) {
    if (best.size() == count) break;
    const bool is_new = std::none_of(best.begin(), best.end(), [&](const Finalist& other) {
      return same_polynomial(record->kernel, other.kernel);
    });
    if (is_new) best.push_back({record->kernel, record->evidence});
  }
  return best;
}

// Fits each once more from many starts, beside the place that is known; a better optimum replaces
// the known one, and with it the value.
void fit_again(std::vector<Finalist>& finalists, const Dataset& data, const SearchOptions& options,
               std::size_t num_threads, const std::atomic<bool>& stop) {
  EvidenceOptions evidence = evidence_of(options);
  evidence.restarts *= more_starts;
  evidence.seed = combine64(options.seed, more_starts);
  const std::unique_ptr<Oracle> oracle = make_oracle(data, evidence, &stop);
  parallel_for(num_threads, finalists.size(), [&](std::size_t i, std::size_t) {
    Finalist& finalist = finalists[i];
    const Evidence again =
        oracle->evaluate(finalist.kernel, {{finalist.kernel, finalist.evidence.parameters}});
    if (again.value && again.log_posterior > finalist.evidence.log_posterior) {
      finalist.evidence = again;
    }
  });
  std::stable_sort(finalists.begin(), finalists.end(), [](const Finalist& a, const Finalist& b) {
    return *a.evidence.value > *b.evidence.value;
  });
}

SearchResult result_of(const Dataset& data, const SearchOptions& options,
                       std::vector<Finalist> finalists, const SearchLoop& loop, SearchEnd end) {
  const Finalist& best = finalists.front();
  const double value = *best.evidence.value;
  const FittedModel model(best.kernel, best.evidence.parameters, data, options.evidence.mean);
  std::vector<FittedModel> members = {model};
  std::vector<double> log_weights = {value};
  for (std::size_t i = 1; i < std::min(options.ensemble, finalists.size()); ++i) {
    members.emplace_back(finalists[i].kernel, finalists[i].evidence.parameters, data,
                         options.evidence.mean);
    log_weights.push_back(*finalists[i].evidence.value);
  }
  SearchResult result{model.kernel_text(),
                      model,
                      Ensemble(std::move(members), log_weights),
                      value,
                      value / static_cast<double>(data.num_rows()),
                      std::move(finalists),
                      loop.history(),
                      end,
                      options.seed,
                      0,
                      loop.wall_seconds(),
                      0.0,
                      0.0};
  for (const SearchRecord& record : result.history) {
    result.failed_evaluations += record.evidence.value ? 0U : 1U;
    result.oracle_seconds += record.evidence.seconds;
    result.acquisition_seconds += record.acquisition_seconds;
  }
  return result;
}

}  // namespace

std::size_t num_planned_evaluations(const SearchOptions& options, const SearchSpace& space) {
  return options.max_evaluations.value_or((1 + walk_length) * space.base_kernels.size() +
                                          default_iterations);
}

SearchResult run_search(const Dataset& data, SearchOptions options, SearchStart start,
                        const std::vector<SearchObserver*>& observers,
                        const std::atomic<bool>* interrupted) {
  const Grammar grammar(make_search_space(options.space, InputNames(data.input_names())));
  const bool is_small = grammar.space().base_kernels.size() <= 4;
  if (options.acquisition == Acquisition::paper && is_small) {
    options.generations = std::min(options.generations, paper_steps_of_small_spaces);
  }
  std::atomic<bool> stop{false};
  const std::unique_ptr<Oracle> oracle = make_oracle(data, evidence_of(options), &stop);
  const std::unique_ptr<Strategy> strategy = make_strategy(grammar, options, data);
  SearchPlan plan;
  plan.initial_kernels = initial_set(grammar, options);
  plan.max_evaluations = num_planned_evaluations(options, grammar.space());
  plan.num_threads = affordable_threads(options, data.num_rows());
  // One more than threads, so that none of them waits for the order of the history.
  constexpr std::size_t fixed_under_way = 3;
  plan.num_under_way = options.deterministic  ? fixed_under_way
                       : plan.num_threads > 1 ? plan.num_threads + 1
                                              : 1;
  plan.seed = options.seed;
  plan.warm_starts = options.warm_starts;
  plan.num_rows = static_cast<double>(data.num_rows());
  plan.earlier_wall_seconds = start.wall_seconds;
  plan.done = std::move(start.done);
  const std::size_t num_threads = plan.num_threads;
  for (SearchObserver* observer : observers) {
    observer->starting(plan.max_evaluations, std::min(plan.done.size(), plan.max_evaluations));
  }

  SearchLoop loop(*oracle, *strategy, std::move(plan), observers, stop);
  const double limit =
      options.time_limit > 0.0 ? options.time_limit : std::numeric_limits<double>::infinity();
  const auto is_interrupted = [&] { return interrupted != nullptr && interrupted->load(); };
  const SearchEnd end = loop.run([&]() -> std::optional<SearchEnd> {
    if (is_interrupted()) return SearchEnd::interrupted;
    if (loop.wall_seconds() > (1.0 - share_for_finalists) * limit) return SearchEnd::time_limit;
    return std::nullopt;
  });

  std::vector<Finalist> finalists =
      best_of(loop.history(), std::max(options.finalists, options.ensemble));
  if (finalists.empty()) {
    if (end == SearchEnd::interrupted) throw SearchInterrupted();
    if (loop.history().empty()) {
      throw Error(ErrorKind::bad_data,
                  fmt::format("the time limit of {} s was reached before the first kernel was "
                              "evaluated",
                              shown_number(limit)));
    }
    throw Error(ErrorKind::bad_data,
                fmt::format("none of {} kernels could be fitted: {}", loop.history().size(),
                            loop.history().front().evidence.message));
  }
  if (end != SearchEnd::interrupted) {
    for (SearchObserver* observer : observers) observer->finishing(finalists.size());
    stop = false;
    // The watch ends what is under way when the user or the clock says so.
    const std::jthread watch([&](const std::stop_token& is_done) {
      while (!is_done.stop_requested()) {
        if (is_interrupted() || loop.wall_seconds() > limit) stop = true;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
    fit_again(finalists, data, options, num_threads, stop);
  }
  return result_of(data, options, std::move(finalists), loop,
                   is_interrupted() ? SearchEnd::interrupted : end);
}

SearchResult search(const Dataset& data, const SearchOptions& options,
                    const std::vector<SearchObserver*>& observers,
                    const std::atomic<bool>* interrupted) {
  return run_search(data, options, {}, observers, interrupted);
}

}  // namespace covary
