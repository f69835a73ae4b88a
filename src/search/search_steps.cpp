#include "search/search_steps.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <covary/distance.h>

#include "acquisition/propose.h"
#include "base/hash.h"
#include "base/parallel.h"
#include "evidence/warm_start.h"
#include "search/seen_kernels.h"

namespace covary {
namespace {

constexpr std::uint64_t for_update = 1;
constexpr std::uint64_t for_proposal = 2;

double sum(const TransportDistances& distances) {
  return distances.base + distances.paths + distances.subtrees;
}

}  // namespace

SearchSteps::SearchSteps(Strategy& strategy, SearchPlan plan,
                         std::vector<SearchObserver*> observers)
    : strategy_(strategy),
      plan_(std::move(plan)),
      observers_(std::move(observers)),
      begin_(covary::wall_seconds()) {}

double SearchSteps::wall_seconds() const {
  return plan_.earlier_wall_seconds + covary::wall_seconds() - begin_;
}

void SearchSteps::end(SearchEnd reason) {
  if (may_be_cut_short()) end_ = reason;
}

void SearchSteps::fix_evaluations(std::size_t number) {
  plan_.max_evaluations = number;
  plan_.stopping_rule.reset();
}

std::optional<double> SearchSteps::expected_gain() const {
  if (!plan_.stopping_rule) return std::nullopt;
  return covary::expected_gain(history_, plan_.num_rows, *plan_.stopping_rule);
}

bool SearchSteps::may_propose() const {
  if (end_ || has_proposed_all()) return false;
  // The initial kernels do not depend on results.
  return next_place() < plan_.initial_kernels.size() || pending_.size() < plan_.num_under_way;
}

std::size_t SearchSteps::next_place() const {
  std::size_t place = first_free_;
  while (place < taken_.size() && taken_[place]) ++place;
  return place;
}

std::optional<SearchSteps::Step> SearchSteps::next(const ShouldEnd& should_end) {
  if (!may_propose()) return std::nullopt;
  const std::size_t place = next_place();
  const bool is_done = plan_.done.contains(place);
  end_ = should_end();
  // What an earlier part of the search has done costs no time, so no limit stands before it.
  if (end_ == SearchEnd::time_limit && is_done) end_.reset();
  if (end_) return std::nullopt;
  std::optional<Expression> simpler;
  if (place >= plan_.initial_kernels.size()) {
    const bool is_over = is_for_simpler_kernel(place) || is_nothing_expected();
    if (is_over || is_simplified_first()) simpler = simpler_kernel();
    // A result of those under way may open a way. What an earlier part has done waits for it too,
    // so that as much is known then as it was when that part went on.
    if (is_over && !simpler && !pending_.empty()) return std::nullopt;
    if (is_over && !simpler && !is_done) {
      end_ = SearchEnd::nothing_expected;
      return std::nullopt;
    }
  }
  std::optional<SearchRecord> record = proposed(place, std::move(simpler));
  if (!record) {
    // Perhaps a result of those under way opens a way; if not, the space is exhausted.
    if (pending_.empty()) end_ = SearchEnd::exhausted;
    return std::nullopt;
  }
  ++num_started_;
  first_free_ = place + 1;
  Step step{*record, is_done, {}};
  if (!is_done && plan_.warm_starts) step.warm_starts = starts_of(record->kernel, place);
  pending_.push_back({std::move(*record), is_done});
  return step;
}

// Every index has random numbers of its own, so that a resumed search goes on like another.
Random SearchSteps::random_of(std::size_t place, std::uint64_t purpose) const {
  return Random(combine64(combine64(plan_.seed, plan_.first_index + place), purpose));
}

bool SearchSteps::is_for_simpler_kernel(std::size_t place) const {
  return place >= plan_.initial_kernels.size() && plan_.num_simplified > 0 &&
         place + plan_.num_simplified >= plan_.max_evaluations;
}

bool SearchSteps::is_nothing_expected() const {
  const std::optional<double> gain = expected_gain();
  return gain && is_too_little(*gain, plan_.num_rows, *plan_.stopping_rule);
}

// Sentences say something of every input. What of that the data do not ask for is soon known, and
// all that is proposed afterwards is shorter for it.
bool SearchSteps::is_simplified_first() const {
  const auto is_proposed = [](const SearchRecord& record) {
    return record.predicted_mean.has_value();
  };
  return plan_.simplifies_first && std::none_of(history_.begin(), history_.end(), is_proposed) &&
         std::none_of(pending_.begin(), pending_.end(),
                      [&](const Pending& pending) { return is_proposed(pending.record); });
}

// What is left of the best kernel without one of its parts, as long as there is such a kernel that
// was not looked at: in the end every part is there because the data ask for it. More than half of
// it is no part.
std::optional<Expression> SearchSteps::simpler_kernel() const {
  if (!best_) return std::nullopt;
  // Where repeats are allowed too, what was tried need not be tried again to end.
  SeenKernels seen(plan_.unique == Uniqueness::none ? Uniqueness::tree : plan_.unique);
  for (const SearchRecord& record : history_) seen.add(record.kernel);
  for (const Pending& pending : pending_) seen.add(pending.record.kernel);
  const Expression& whole = history_[*best_].kernel;
  for (Expression& rest : pruned(whole)) {
    if (2 * rest.num_leaves() >= whole.num_leaves() && !seen.contains(rest)) return std::move(rest);
  }
  return std::nullopt;
}

std::optional<SearchRecord> SearchSteps::proposed(std::size_t place,
                                                  std::optional<Expression> kernel) {
  const auto known = plan_.done.find(place);
  const std::size_t index = plan_.first_index + place;
  if (place < plan_.initial_kernels.size()) {
    if (known != plan_.done.end()) return known->second;
    SearchRecord record{.index = index, .kernel = plan_.initial_kernels[place], .evidence = {}};
    record.is_initial = true;
    return record;
  }
  const double start = thread_cpu_seconds();
  Random update_random = random_of(place, for_update);
  strategy_.update(update_random);
  if (known != plan_.done.end()) return known->second;
  std::optional<StrategyProposal> proposal;
  if (kernel) {
    proposal = StrategyProposal{.kernel = std::move(*kernel)};
  } else {
    std::vector<Expression> under_way;
    for (const Pending& pending : pending_) under_way.push_back(pending.record.kernel);
    Random proposal_random = random_of(place, for_proposal);
    proposal = strategy_.propose(under_way, proposal_random);
  }
  if (!proposal) return std::nullopt;
  SearchRecord record{.index = index, .kernel = std::move(proposal->kernel), .evidence = {}};
  record.predicted_mean = proposal->predicted_mean;
  record.predicted_sd = proposal->predicted_sd;
  record.weights = std::move(proposal->weights);
  record.acquisition_seconds = thread_cpu_seconds() - start;
  return record;
}

void SearchSteps::add(SearchRecord record) {
  drop(record.index);
  std::optional<double> value = record.evidence.value;
  if (value) *value /= plan_.num_rows;
  strategy_.add(record.kernel, value);
  const std::size_t position = history_.size();
  history_.push_back(std::move(record));
  const auto best_value = [&] { return *history_[*best_].evidence.value; };
  if (value && (!best_ || *history_[position].evidence.value > best_value())) best_ = position;
  for (SearchObserver* observer : observers_) observer->recorded(history_[position], best());
}

void SearchSteps::drop(std::size_t index) {
  std::erase_if(pending_, [&](const Pending& pending) { return pending.record.index == index; });
}

void SearchSteps::add_all_done() {
  for (auto& [place, record] : plan_.done) {
    if (num_started_ == plan_.max_evaluations) break;
    if (taken_.size() <= place) taken_.resize(place + 1);
    taken_[place] = true;
    ++num_started_;
    add(std::move(record));
  }
  plan_.done.clear();
}

// A kernel that comes up a rung, or is left of the best one there, starts from its own parameters.
std::vector<WarmStart> SearchSteps::starts_of(const Expression& kernel, std::size_t place) const {
  if (is_for_simpler_kernel(place) && best_) {
    const SearchRecord& whole = history_[*best_];
    std::vector<double> left =
        transferred_parameters(kernel, {whole.kernel, whole.evidence.parameters});
    const bool is_complete = !left.empty() && std::none_of(left.begin(), left.end(),
                                                           [](double p) { return std::isnan(p); });
    if (is_complete) return {{kernel, std::move(left)}};
  }
  return similar_kernels(kernel);
}

// Kernels whose fitted parameters are a good place to start from: the nearest ones, which include
// the parent that a proposal grew from, and the kernel itself on fewer rows.
std::vector<WarmStart> SearchSteps::similar_kernels(const Expression& kernel) const {
  constexpr std::size_t num_similar = 2;
  std::vector<std::pair<double, const SearchRecord*>> nearest;
  for (const std::vector<SearchRecord>* records : {&history_, &plan_.below}) {
    for (const SearchRecord& record : *records) {
      if (record.evidence.parameters.empty() || !record.evidence.value) continue;
      const bool is_itself = identical(kernel, record.kernel);
      nearest.emplace_back(is_itself ? -1.0 : sum(transport_distances(kernel, record.kernel)),
                           &record);
    }
  }
  std::stable_sort(nearest.begin(), nearest.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<WarmStart> similar;
  for (std::size_t i = 0; i < std::min(num_similar, nearest.size()); ++i) {
    const SearchRecord& record = *nearest[i].second;
    similar.push_back({record.kernel, record.evidence.parameters});
  }
  return similar;
}

}  // namespace covary
