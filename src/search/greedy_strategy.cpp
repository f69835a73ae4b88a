#include "search/greedy_strategy.h"

#include <algorithm>

#include "base/hash.h"

namespace covary {

GreedyStrategy::GreedyStrategy(const Grammar& grammar, const SearchOptions& options)
    : grammar_(grammar),
      seed_(options.seed),
      // To evaluate a neighbour again would be of no use even where repeats are allowed.
      seen_(options.unique == Uniqueness::none ? Uniqueness::tree : options.unique) {}

void GreedyStrategy::add(const Expression& kernel, std::optional<double> value) {
  seen_.add(kernel);
  if (value) open_.emplace_back(*value, kernel);
}

// Here and not in propose(), which a resumed search does not call for what is on disk.
void GreedyStrategy::update(Random& /*random*/) {
  const auto is_known = [&](const Expression& kernel) { return seen_.contains(kernel); };
  while (std::all_of(neighbourhood_.begin(), neighbourhood_.end(), is_known)) {
    if (!expand_best()) return;
  }
}

bool GreedyStrategy::expand_best() {
  const auto best = std::max_element(
      open_.begin(), open_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (best == open_.end()) return false;
  const Expression centre = best->second;
  open_.erase(best);
  std::vector<std::pair<std::uint64_t, Expression>> shuffled;
  for (Expression& neighbour : grammar_.neighbours(centre)) {
    shuffled.emplace_back(combine64(seed_, neighbour.tree_hash()), std::move(neighbour));
  }
  std::stable_sort(shuffled.begin(), shuffled.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  neighbourhood_.clear();
  for (auto& [order, neighbour] : shuffled) neighbourhood_.push_back(std::move(neighbour));
  return true;
}

std::optional<StrategyProposal> GreedyStrategy::propose(std::span<const Expression> under_way,
                                                        Random& /*random*/) {
  const SeenKernels seen = seen_.with(under_way);
  for (const Expression& kernel : neighbourhood_) {
    if (!seen.contains(kernel)) return StrategyProposal{kernel};
  }
  return std::nullopt;  // until the values of those under way say where to go on
}

}  // namespace covary
