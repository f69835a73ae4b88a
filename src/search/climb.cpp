// How a search of many rows climbs: from a rung whose kernels have been compared to the next, with
// the best of them. What the rungs are, ladder.cpp says; what a search is made of,
// search_setup.cpp.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "evidence/memory.h"
#include "search/first_sentences.h"
#include "search/search_setup.h"

namespace covary {
namespace {

// On the highest rung, where an evaluation costs most.
constexpr std::size_t most_simplified = 4;

}  // namespace

bool SearchSetup::climb(std::vector<SearchRecord> history, double seconds) {
  if (is_on_top() || best_of(history, 1).empty()) return false;
  operations_ += operations_of(history);
  if (const Rung& above = ladder_[rung_ + 1]; above.is_refinement) {
    num_steps_ = affordable_steps(above, seconds);
    if (num_steps_ == 0) return false;
    if (options_.time_limit > 0.0) {
      seconds_left_ = std::max((1.0 - share_for_the_end_) * options_.time_limit - seconds, 1.0) /
                      static_cast<double>(above.num_promoted);
    }
  }
  ++rung_;
  strategy_->climb();
  plan_.initial_kernels =
      promoted(history, rung().num_promoted,
               rung().is_refinement ? std::vector<Expression>() : always_promoted_);
  if (rung_ == 1) add_rough_rest(history);
  const bool is_last_to_compare =
      !rung().is_refinement && (is_on_top() || ladder_[rung_ + 1].is_refinement);
  plan_.num_simplified = is_last_to_compare && has_open_end(options_)
                             ? std::min(rung().num_promoted, most_simplified)
                             : 0;
  plan_.max_evaluations = plan_.initial_kernels.size() + rung().num_proposed + plan_.num_simplified;
  plan_.stopping_rule.reset();
  plan_.simplifies_first = false;
  plan_.below = std::move(history);
  plan_.earlier_wall_seconds = seconds;
  plan_for_rows();
  take_done();
  return true;
}

// On 500 rows a rough function of all inputs beside the best kernel is not worth its parameters,
// and on 4,500 it may well be (docs/search_quality.md, Many rows): it comes along to where that
// shows.
void SearchSetup::add_rough_rest(const std::vector<SearchRecord>& below) {
  constexpr std::size_t most_rows_of_first_rungs = 1500;
  const bool are_many_compared = std::any_of(ladder_.begin(), ladder_.end(), [](const Rung& above) {
    return !above.is_refinement && above.num_rows > most_rows_of_first_rungs;
  });
  if (!are_many_compared || options_.unique != Uniqueness::family || !has_open_end(options_))
    return;
  const std::optional<Expression> kernel =
      with_rough_rest(grammar_.space(), plan_.initial_kernels.front());
  const auto is_same = [&](const Expression& other) { return same_polynomial(*kernel, other); };
  if (!kernel || std::any_of(below.begin(), below.end(),
                             [&](const SearchRecord& record) { return is_same(record.kernel); })) {
    return;
  }
  plan_.initial_kernels.insert(plan_.initial_kernels.begin() + 1, *kernel);
  always_promoted_.push_back(*kernel);
}

// The first gradient and what judges the place take about as long as one more.
std::size_t SearchSetup::affordable_steps(const Rung& above, double seconds) const {
  constexpr double most = 20.0;
  if (done_above_.contains(first_index_of(rung_ + 1))) return 1;  // an earlier part took them
  const auto num_kernels = static_cast<double>(above.num_promoted);
  double steps = operations_ / (num_kernels * step_operations(above.num_rows));
  if (options_.time_limit > 0.0) {
    const double left = (1.0 - share_for_the_end_) * options_.time_limit - seconds;
    steps = left / (num_kernels * step_seconds(above.num_rows, options_.threads));
  }
  return static_cast<std::size_t>(std::clamp(steps - 1.0, 0.0, most));
}

WorkEstimate SearchSetup::refinement() const {
  const std::size_t rows = rung().num_rows;
  const double seconds = static_cast<double>(num_steps_ + 1) * step_seconds(rows, options_.threads);
  return {rows, seconds, evaluation_bytes(rows)};
}

double SearchSetup::share_of_time() const {
  const double share = 1.0 - share_for_the_end_;
  if (is_on_top()) return share;
  return share * (1.0 - std::pow(0.5, static_cast<double>(rung_ + 1)));
}

void tell_of_climb(const SearchSetup& setup, const std::vector<SearchObserver*>& observers) {
  const std::size_t num_planned = setup.plan().max_evaluations;
  for (SearchObserver* observer : observers) {
    if (setup.rung().is_refinement) {
      observer->refining(setup.refinement(), num_planned, setup.num_steps());
    } else {
      observer->climbing(setup.rung().num_rows, num_planned);
    }
  }
}

}  // namespace covary
