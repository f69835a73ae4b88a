#include "search/tree_gep_strategy.h"

#include <algorithm>

namespace covary {
namespace {

constexpr std::size_t generation_size = 200;
constexpr std::size_t num_survivors = generation_size / 10;
constexpr std::size_t tournament_size = generation_size / 10;
constexpr double share_of_mutations = 0.5;
constexpr std::size_t max_operations_of_mutation = 3;

}  // namespace

TreeGepStrategy::TreeGepStrategy(const Grammar& grammar, const SearchOptions& options)
    : grammar_(grammar), seen_(options.unique), ancestors_(grammar.start_kernels()) {}

void TreeGepStrategy::add(const Expression& kernel, std::optional<double> value) {
  seen_.add(kernel);
  ancestors_.push_back(kernel);
  ++num_tried_;
  if (!value) return;
  const bool is_best = !best_value_ || *value > *best_value_;
  if (is_best) best_value_ = value;
  if (kernel.num_leaves() > leaf_limit_) {
    if (!is_best) return;
    leaf_limit_ = kernel.num_leaves();
  }
  generation_.push_back({kernel, *value});
}

// Children that failed or were too long are not replaced, or a hopeless generation would never end.
void TreeGepStrategy::update(Random& /*random*/) {
  const std::size_t num_children =
      parents_.empty() ? generation_size : generation_size - num_survivors;
  if (num_tried_ >= num_children && !generation_.empty()) begin_next_generation();
}

void TreeGepStrategy::begin_next_generation() {
  std::stable_sort(generation_.begin(), generation_.end(),
                   [](const Member& a, const Member& b) { return a.value > b.value; });
  parents_ = generation_;
  generation_.erase(generation_.begin() +
                        static_cast<std::ptrdiff_t>(std::min(num_survivors, generation_.size())),
                    generation_.end());
  num_tried_ = 0;
}

const Expression& TreeGepStrategy::tournament_winner(Random& random) const {
  // Members are sorted: the winner is the smallest index.
  std::size_t winner = parents_.size();
  for (std::size_t i = 0; i < tournament_size; ++i) {
    winner = std::min<std::size_t>(winner, random.index(parents_.size()));
  }
  return parents_[winner].kernel;
}

// A random subtree makes way for another one; nothing if that is too large for the space.
std::optional<Expression> TreeGepStrategy::replaced(const Expression& parent,
                                                    const Expression& replacement,
                                                    Random& random) const {
  const std::size_t index = random.index(parent.num_nodes());
  const std::size_t num_leaves =
      parent.num_leaves() - subtree(parent, index).num_leaves() + replacement.num_leaves();
  if (num_leaves > grammar_.space().max_leaves) return std::nullopt;
  return with_subtree(parent, index, replacement);
}

Expression TreeGepStrategy::random_expression(Random& random) const {
  const std::vector<Expression> base_kernels = grammar_.start_kernels();
  const Expression& start = base_kernels[random.index(base_kernels.size())];
  const std::size_t steps = 1 + random.index(max_operations_of_mutation);
  const std::vector<Expression> walk = grammar_.random_walk(start, steps, random);
  return walk.empty() ? start : walk.back();
}

std::optional<Expression> TreeGepStrategy::child(Random& random) const {
  if (parents_.empty()) {
    return grammar_.random_neighbour(ancestors_[random.index(ancestors_.size())], random);
  }
  const Expression& parent = tournament_winner(random);
  if (random.uniform() < share_of_mutations) {
    return replaced(parent, random_expression(random), random);
  }
  const Expression& donor = tournament_winner(random);
  return replaced(parent, subtree(donor, random.index(donor.num_nodes())), random);
}

std::optional<StrategyProposal> TreeGepStrategy::propose(std::span<const Expression> under_way,
                                                         Random& random) {
  const SeenKernels seen = seen_.with(under_way);
  constexpr int max_attempts = 10000;  // then the space is taken for exhausted
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    std::optional<Expression> kernel = child(random);
    if (kernel && !seen.contains(*kernel)) return StrategyProposal{std::move(*kernel)};
  }
  return std::nullopt;
}

}  // namespace covary
