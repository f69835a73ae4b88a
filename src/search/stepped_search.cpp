#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include <covary/stepped_search.h>

#include "search/run_folder.h"
#include "search/search_setup.h"
#include "search/search_steps.h"

namespace covary {
namespace {

std::unique_ptr<RunFolder> opened(const std::optional<Dataset>& data, const SearchOptions& options,
                                  const std::optional<RunOptions>& run) {
  if (!data || !run) return nullptr;
  return std::make_unique<RunFolder>(*data, options, *run);
}

std::vector<SearchObserver*> with_keeper(RunFolder* folder, std::vector<SearchObserver*> others) {
  if (folder != nullptr) others.insert(others.begin(), &folder->keeper());
  return others;
}

void check_evidence(const Expression& kernel, const Evidence& evidence) {
  if (evidence.outcome == FitOutcome::interrupted) {
    throw Error(ErrorKind::usage,
                "an evaluation that was interrupted is no result; evaluate the kernel again");
  }
  if (evidence.value && !std::isfinite(*evidence.value)) {
    throw Error(ErrorKind::usage, fmt::format("the value of {} is {}; tell a finite one, or fail() "
                                              "for a kernel that has no value",
                                              to_string(kernel), *evidence.value));
  }
  const std::size_t num_parameters = kernel.num_parameters() + 1;
  if (!evidence.parameters.empty() && evidence.parameters.size() != num_parameters) {
    throw Error(ErrorKind::usage,
                fmt::format("{} has {} parameters with the noise, not {}", to_string(kernel),
                            num_parameters, evidence.parameters.size()));
  }
}

}  // namespace

struct SteppedSearch::State {
  std::unique_ptr<RunFolder> folder;
  std::optional<Dataset> data;  // with the inputs that the search keeps
  SearchSetup setup;
  std::size_t num_planned;  // finalists are numbered from here on
  std::vector<SearchObserver*> observers;
  std::vector<SearchRecord> below;            // the history of the rungs that were left
  std::optional<SearchEnd> end_below;         // why the first of them was left
  std::optional<double> expected_gain_below;  // and what it expected then
  std::unique_ptr<SearchSteps> steps;         // those of the rung that it is on

  std::map<std::size_t, SearchRecord> arrived;  // told, but it is not yet their turn
  bool has_own_values = false;

  struct Final {
    Finalist finalist;
    bool is_told = false;
  };
  std::vector<Final> finals;  // once the search itself has ended
  std::size_t num_finals_asked = 0;
  bool is_done = false;
  std::optional<SearchEnd> stopped;  // by the caller

  State(const InputNames& inputs, const std::optional<Dataset>& dataset,
        const SearchOptions& options, const std::optional<RunOptions>& run,
        const std::vector<SearchObserver*>& others)
      : folder(opened(dataset, options, run)),
        data(folder    ? folder->data()
             : dataset ? std::optional(screened(*dataset, options))
                       : std::nullopt),
        setup(data ? inputs_of(*data) : inputs, data ? &*data : nullptr,
              folder ? folder->options() : options, folder ? folder->start() : SearchStart{}),
        num_planned(setup.plan().max_evaluations),
        observers(with_keeper(folder.get(), others)),
        steps(std::make_unique<SearchSteps>(setup.strategy(), setup.plan(), observers)) {
    if (data && is_screened(*data)) {
      for (SearchObserver* observer : observers) observer->screened(*data);
    }
    const std::size_t num_done = std::min(setup.plan().done.size(), num_planned);
    for (SearchObserver* observer : observers) observer->starting(num_planned, num_done);
    if (data && !setup.options().evidence.transform) setup.choose_transform(*data, nullptr);
    if (!in_order()) steps->add_all_done();
  }

  bool in_order() const { return setup.options().deterministic; }

  double time_limit() const {
    const double limit = setup.options().time_limit;
    return limit > 0.0 ? limit : std::numeric_limits<double>::infinity();
  }

  bool is_under_way(const SearchSteps::Pending& pending) const {
    return !pending.is_done && !arrived.contains(pending.record.index);
  }

  std::size_t num_under_way() const {
    const auto& pending = steps->pending();
    return static_cast<std::size_t>(
        std::count_if(pending.begin(), pending.end(),
                      [this](const SearchSteps::Pending& one) { return is_under_way(one); }));
  }

  // Gives the oldest kernel its place in the history. False if its result is still to come.
  bool add_oldest() {
    if (steps->pending().empty() || is_under_way(steps->pending().front())) return false;
    SearchRecord record = steps->pending().front().record;
    if (const auto told = arrived.find(record.index); told != arrived.end()) {
      record = std::move(told->second);
      arrived.erase(told);
    }
    steps->add(std::move(record));
    return true;
  }

  // As search() has it: the next kernel is proposed as soon as, and not before, those ahead of it
  // have made room, so that what is known then does not depend on who was fast.
  std::optional<SearchTask> next_of_search(std::size_t max_under_way) {
    if (!in_order()) steps->set_num_under_way(max_under_way);
    const auto should_end = [this] {
      const bool is_late = steps->wall_seconds() > setup.share_of_time() * time_limit();
      return is_late ? std::optional(SearchEnd::time_limit) : std::nullopt;
    };
    while (num_under_way() < max_under_way) {
      if (std::optional<SearchSteps::Step> step = steps->next(should_end)) {
        if (step->is_done) continue;
        return SearchTask{step->record.index, std::move(step->record.kernel),
                          std::move(step->warm_starts), setup.evidence(), false};
      }
      if (!add_oldest()) break;
    }
    // Nobody waits longer for what is under way.
    if (num_under_way() > 0 && should_end()) steps->end(SearchEnd::time_limit);
    return std::nullopt;
  }

  SearchEnd end() const {
    const SearchEnd now = steps->ended().value_or(SearchEnd::max_evaluations);
    return now == SearchEnd::time_limit ? now : end_below.value_or(now);
  }

  std::optional<double> expected_gain() const {
    return below.empty() ? steps->expected_gain() : expected_gain_below;
  }

  std::vector<SearchRecord> history() const {
    std::vector<SearchRecord> records = below;
    records.insert(records.end(), steps->history().begin(), steps->history().end());
    return records;
  }

  // To the next rung of the ladder, unless there is none or nothing to take up.
  bool climb() {
    if (has_own_values || !setup.climb(steps->history(), steps->wall_seconds())) return false;
    expected_gain_below = expected_gain();
    end_below = end();
    below = history();
    arrived.clear();
    steps = std::make_unique<SearchSteps>(setup.strategy(), setup.plan(), observers);
    if (!in_order()) steps->add_all_done();
    tell_of_climb(setup, observers);
    return true;
  }

  // Whether the search itself is over, and nothing is worth waiting for.
  bool is_search_over() const {
    if (steps->ended() == SearchEnd::time_limit) return true;
    return (steps->ended() || steps->has_proposed_all()) && steps->pending().empty();
  }

  void begin_finals() {
    if (has_own_values || !data) {
      is_done = true;
      return;
    }
    for (Finalist& finalist : finalists_of(history(), setup.ladder(), setup.options(), end())) {
      finals.push_back({std::move(finalist), !setup.are_finalists_refitted()});
    }
    for (SearchObserver* observer : observers) {
      observer->ended(end(), expected_gain());
      if (setup.are_finalists_refitted()) observer->finishing(finals.size());
    }
  }

  std::optional<SearchTask> next_final(std::size_t max_under_way) {
    const auto num_told = static_cast<std::size_t>(std::count_if(
        finals.begin(), finals.end(), [](const Final& final) { return final.is_told; }));
    if (num_told == finals.size() || steps->wall_seconds() > time_limit()) is_done = true;
    if (is_done || num_finals_asked == finals.size()) return std::nullopt;
    if (num_finals_asked - num_told >= max_under_way) return std::nullopt;
    const std::size_t place = num_finals_asked++;
    const Finalist& finalist = finals[place].finalist;
    return SearchTask{num_planned + place,
                      finalist.kernel,
                      {{finalist.kernel, finalist.evidence.parameters}},
                      setup.evidence_of_finalists(),
                      true};
  }

  [[noreturn]] static void fail_unknown(std::size_t number) {
    throw Error(ErrorKind::usage, fmt::format("no kernel with the number {} is under way", number));
  }

  void tell_final(std::size_t place, const Evidence& evidence) {
    if (place >= num_finals_asked || finals[place].is_told) fail_unknown(num_planned + place);
    check_evidence(finals[place].finalist.kernel, evidence);
    finals[place].is_told = true;
    improve(finals[place].finalist, setup.judged(finals[place].finalist.kernel, evidence));
  }

  // Values of the caller's own are in units that the stopping rule does not know.
  void fix_evaluations() {
    if (steps->has_stopping_rule()) steps->fix_evaluations(setup.num_usual_evaluations());
  }

  // What was told of a kernel, as the search judges it; values of the caller's own are no
  // evidences.
  enum class Told { evidence, own_value };

  void tell(std::size_t number, const Evidence& evidence, Told told = Told::evidence) {
    if (is_done) fail_unknown(number);
    if (rung_of(number) == 0 && number >= num_planned) {
      return tell_final(number - num_planned, evidence);
    }
    const auto& pending = steps->pending();
    const auto found = std::find_if(pending.begin(), pending.end(), [&](const auto& one) {
      return one.record.index == number && is_under_way(one);
    });
    if (found == pending.end()) fail_unknown(number);
    SearchRecord record = found->record;
    check_evidence(record.kernel, evidence);
    record.evidence = told == Told::evidence ? setup.judged(record.kernel, evidence) : evidence;
    record.wall_seconds = steps->wall_seconds();
    for (SearchObserver* observer : observers) observer->evaluated(record);
    if (in_order()) {
      arrived.emplace(number, std::move(record));
    } else {
      steps->add(std::move(record));
    }
  }
};

SteppedSearch::SteppedSearch(const Dataset& data, const SearchOptions& options,
                             const std::optional<RunOptions>& run,
                             const std::vector<SearchObserver*>& observers)
    : state_(std::make_unique<State>(inputs_of(data), data, options, run, observers)) {}

SteppedSearch::SteppedSearch(const InputNames& inputs, const SearchOptions& options)
    : state_(std::make_unique<State>(inputs, std::nullopt, options, std::nullopt,
                                     std::vector<SearchObserver*>())) {}

SteppedSearch::~SteppedSearch() = default;
SteppedSearch::SteppedSearch(SteppedSearch&&) noexcept = default;
SteppedSearch& SteppedSearch::operator=(SteppedSearch&&) noexcept = default;

std::optional<SearchTask> SteppedSearch::ask(std::size_t max_under_way) {
  State& state = *state_;
  if (state.is_done) return std::nullopt;
  while (state.finals.empty()) {
    if (std::optional<SearchTask> task = state.next_of_search(max_under_way)) return task;
    if (!state.is_search_over()) return std::nullopt;
    if (state.climb()) continue;
    state.begin_finals();
    if (state.is_done) return std::nullopt;
  }
  return state.next_final(max_under_way);
}

void SteppedSearch::tell(std::size_t number, const Evidence& evidence) {
  state_->tell(number, evidence);
}

void SteppedSearch::tell(std::size_t number, double value) {
  if (state_->folder) {
    throw Error(
        ErrorKind::usage,
        "a value of one's own cannot be kept in a run's folder, which is of fitted kernels; "
        "search without a folder");
  }
  Evidence evidence;
  evidence.value = value;
  evidence.outcome = FitOutcome::converged;
  state_->fix_evaluations();
  state_->tell(number, evidence, State::Told::own_value);
  state_->has_own_values = true;
}

void SteppedSearch::fail(std::size_t number, const std::string& message) {
  Evidence evidence;
  evidence.outcome = FitOutcome::failed;
  evidence.message = message.empty() ? "no value could be had" : message;
  state_->tell(number, evidence);
}

void SteppedSearch::stop(SearchEnd reason) {
  State& state = *state_;
  if (state.is_done) return;
  while (state.in_order() && state.add_oldest()) {
  }
  state.stopped = reason;
  state.is_done = true;
}

const std::optional<Dataset>& SteppedSearch::data() const { return state_->data; }
bool SteppedSearch::is_done() const { return state_->is_done; }
std::size_t SteppedSearch::num_planned() const { return state_->steps->max_evaluations(); }

std::vector<SearchRecord> SteppedSearch::history() const {
  std::vector<SearchRecord> history = state_->history();
  std::sort(history.begin(), history.end(),
            [](const SearchRecord& a, const SearchRecord& b) { return a.index < b.index; });
  return history;
}

std::optional<SearchRecord> SteppedSearch::best() const {
  const SearchRecord* best = state_->steps->best();
  return best != nullptr ? std::optional(*best) : std::nullopt;
}

SearchEnd SteppedSearch::end() const { return state_->stopped.value_or(state_->end()); }

SearchResult SteppedSearch::result() {
  State& state = *state_;
  if (state.has_own_values || !state.data) {
    throw Error(ErrorKind::usage,
                "kernels with values of one's own have no fitted parameters; take the best kernel "
                "and evaluate it on the data");
  }
  stop();
  std::vector<Finalist> finalists;
  for (const State::Final& final : state.finals) finalists.push_back(final.finalist);
  if (finalists.empty())
    finalists = finalists_of(history(), state.setup.ladder(), state.setup.options(), end());
  SearchResult result = result_of(*state.data, state.setup.options(), std::move(finalists),
                                  history(), state.steps->wall_seconds(), end());
  result.expected_gain = state.expected_gain();
  if (state.folder) {
    state.folder->finish(result);
    state.folder.reset();  // it is free for others; nothing more will be told
  }
  return result;
}

}  // namespace covary
