#include "search/search_loop.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <covary/distance.h>

#include "base/hash.h"
#include "base/parallel.h"

namespace covary {
namespace {

constexpr std::uint64_t for_update = 1;
constexpr std::uint64_t for_proposal = 2;

double sum(const TransportDistances& distances) {
  return distances.base + distances.paths + distances.subtrees;
}

}  // namespace

SearchLoop::SearchLoop(const Oracle& oracle, Strategy& strategy, SearchPlan plan,
                       std::vector<SearchObserver*> observers, std::atomic<bool>& stop)
    : oracle_(oracle),
      strategy_(strategy),
      plan_(std::move(plan)),
      observers_(std::move(observers)),
      stop_(stop),
      begin_(covary::wall_seconds()),
      pool_(plan_.num_threads) {}

SearchLoop::~SearchLoop() { stop_ = true; }

SearchEnd SearchLoop::run(const std::function<std::optional<SearchEnd>()>& should_end) {
  while (true) {
    while (may_propose()) {
      ask_for_end(should_end);
      if (end_ || !start_next()) break;
    }
    if (pending_.empty()) break;
    if (!finish_oldest(should_end)) break;
  }
  drop_pending();
  return end_.value_or(SearchEnd::max_evaluations);
}

double SearchLoop::wall_seconds() const {
  return plan_.earlier_wall_seconds + covary::wall_seconds() - begin_;
}

bool SearchLoop::may_propose() const {
  if (end_ || num_started_ >= plan_.max_evaluations) return false;
  // The initial kernels do not depend on results.
  return num_started_ < plan_.initial_kernels.size() || pending_.size() < plan_.num_under_way;
}

// What an earlier part of the search has done costs no time, so no limit stands before it.
void SearchLoop::ask_for_end(const std::function<std::optional<SearchEnd>()>& should_end) {
  if (end_) return;
  end_ = should_end();
  if (end_ == SearchEnd::time_limit && plan_.done.contains(num_started_)) end_.reset();
}

bool SearchLoop::start_next() {
  std::optional<SearchRecord> record = proposed(num_started_);
  if (!record) {
    // Perhaps a result of those under way opens a way; if not, the space is exhausted.
    if (pending_.empty()) end_ = SearchEnd::exhausted;
    return false;
  }
  ++num_started_;
  Pending& pending = pending_.emplace_back(Pending{std::move(*record), {}});
  if (!plan_.done.contains(pending.record.index)) submit(pending);
  return true;
}

// Every index has random numbers of its own, so that a resumed search goes on like another.
Random SearchLoop::random_of(std::size_t index, std::uint64_t purpose) const {
  return Random(combine64(combine64(plan_.seed, index), purpose));
}

std::optional<SearchRecord> SearchLoop::proposed(std::size_t index) {
  const auto known = plan_.done.find(index);
  if (index < plan_.initial_kernels.size()) {
    if (known != plan_.done.end()) return known->second;
    SearchRecord record{.index = index, .kernel = plan_.initial_kernels[index], .evidence = {}};
    record.is_initial = true;
    return record;
  }
  const double start = thread_cpu_seconds();
  Random update_random = random_of(index, for_update);
  strategy_.update(update_random);
  if (known != plan_.done.end()) return known->second;
  std::vector<Expression> under_way;
  for (const Pending& pending : pending_) under_way.push_back(pending.record.kernel);
  Random proposal_random = random_of(index, for_proposal);
  std::optional<StrategyProposal> proposal = strategy_.propose(under_way, proposal_random);
  if (!proposal) return std::nullopt;
  SearchRecord record{.index = index, .kernel = std::move(proposal->kernel), .evidence = {}};
  record.predicted_mean = proposal->predicted_mean;
  record.predicted_sd = proposal->predicted_sd;
  record.weights = std::move(proposal->weights);
  record.acquisition_seconds = thread_cpu_seconds() - start;
  return record;
}

void SearchLoop::submit(Pending& pending) {
  std::vector<WarmStart> warm_starts;
  if (plan_.warm_starts) warm_starts = similar_kernels(pending.record.kernel);
  pending.outcome =
      pool_.submit([this, record = pending.record, warm_starts = std::move(warm_starts)]() mutable {
        record.evidence = oracle_.evaluate(record.kernel, warm_starts);
        record.wall_seconds = wall_seconds();
        // What was cut short is no result: a resumed search does it again, from the beginning.
        if (record.evidence.outcome != FitOutcome::interrupted) {
          const std::lock_guard lock(observer_mutex_);
          for (SearchObserver* observer : observers_) observer->evaluated(record);
        }
        return record;
      });
}

// Waits for the oldest kernel under way and gives it its place in the history. False if the search
// has to end without it.
bool SearchLoop::finish_oldest(const std::function<std::optional<SearchEnd>()>& should_end) {
  Pending& oldest = pending_.front();
  if (oldest.outcome.valid()) {
    constexpr auto patience = std::chrono::milliseconds(20);
    while (oldest.outcome.wait_for(patience) != std::future_status::ready) {
      if (!end_) end_ = should_end();
      if (end_ == SearchEnd::interrupted || end_ == SearchEnd::time_limit) stop_ = true;
    }
    oldest.record = oldest.outcome.get();
  }
  SearchRecord record = std::move(oldest.record);
  pending_.pop_front();
  if (record.evidence.outcome == FitOutcome::interrupted) {
    // The kernels behind it may be done and on disk; the history ends where it has a gap.
    return false;
  }
  std::optional<double> value = record.evidence.value;
  if (value) *value /= plan_.num_rows;
  strategy_.add(record.kernel, value);
  const std::size_t position = history_.size();
  history_.push_back(std::move(record));
  const auto best_value = [&] { return *history_[*best_].evidence.value; };
  if (value && (!best_ || *history_[position].evidence.value > best_value())) best_ = position;
  const std::lock_guard lock(observer_mutex_);
  for (SearchObserver* observer : observers_) {
    observer->recorded(history_[position], best_ ? &history_[*best_] : nullptr);
  }
  return true;
}

// Behind a gap in the history nothing counts in this part of the search. Evaluations that have not
// begun would otherwise do so as soon as the finalists may be fitted.
void SearchLoop::drop_pending() {
  stop_ = !pending_.empty();
  while (!pending_.empty()) {
    if (pending_.front().outcome.valid()) pending_.front().outcome.get();
    pending_.pop_front();
  }
}

// Kernels whose fitted parameters are a good place to start from: the nearest ones, which include
// the parent that a proposal grew from.
std::vector<WarmStart> SearchLoop::similar_kernels(const Expression& kernel) const {
  constexpr std::size_t num_similar = 2;
  std::vector<std::pair<double, std::size_t>> nearest;
  for (std::size_t i = 0; i < history_.size(); ++i) {
    if (!history_[i].evidence.value) continue;
    nearest.emplace_back(sum(transport_distances(kernel, history_[i].kernel)), i);
  }
  std::sort(nearest.begin(), nearest.end());
  std::vector<WarmStart> similar;
  for (std::size_t i = 0; i < std::min(num_similar, nearest.size()); ++i) {
    const SearchRecord& record = history_[nearest[i].second];
    similar.push_back({record.kernel, record.evidence.parameters});
  }
  return similar;
}

}  // namespace covary
