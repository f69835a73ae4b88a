#include "search/random_strategy.h"

namespace covary {

RandomStrategy::RandomStrategy(const Grammar& grammar, const SearchOptions& options)
    : grammar_(grammar), seen_(options.unique), members_(grammar.start_kernels()) {}

void RandomStrategy::add(const Expression& kernel, std::optional<double> /*value*/) {
  seen_.add(kernel);
  members_.push_back(kernel);
}

void RandomStrategy::update(Random& /*random*/) {}

std::optional<StrategyProposal> RandomStrategy::propose(std::span<const Expression> under_way,
                                                        Random& random) {
  const SeenKernels seen = seen_.with(under_way);
  constexpr int max_attempts = 10000;  // then the space is taken for exhausted
  for (int attempt = 0; attempt < max_attempts; ++attempt) {
    const Expression& parent = members_[random.index(members_.size())];
    std::optional<Expression> child = grammar_.random_neighbour(parent, random);
    if (child && !seen.contains(*child)) return StrategyProposal{std::move(*child)};
  }
  return std::nullopt;
}

}  // namespace covary
