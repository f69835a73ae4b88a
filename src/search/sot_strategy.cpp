// Bayesian optimisation over expressions: the paper's method (algorithm 1, lines 3 to 5).
#include "search/sot_strategy.h"

#include <utility>

#include "acquisition/propose.h"

namespace covary {

SotStrategy::SotStrategy(const Grammar& grammar, const SearchOptions& options)
    : grammar_(grammar),
      surrogate_(options.acquisition == Acquisition::paper ? SurrogateOptions::paper()
                                                           : SurrogateOptions{}),
      evolution_(options.acquisition == Acquisition::paper ? EvolutionOptions::paper()
                                                           : EvolutionOptions{}),
      seen_(options.unique),
      fallback_(grammar, options),
      looks_nearby_(options.acquisition == Acquisition::informed) {
  evolution_.population = options.population;
  evolution_.generations = options.generations;
}

void SotStrategy::add(const Expression& kernel, std::optional<double> value) {
  ++num_added_;
  if (value) surrogate_.add(kernel, *value);
  seen_.add(kernel);
  fallback_.add(kernel, value);
}

void SotStrategy::update(Random& random) {
  if (surrogate_.has_values()) surrogate_.refit(random);
}

std::optional<StrategyProposal> SotStrategy::propose(std::span<const Expression> under_way,
                                                     Random& random) {
  // As long as nothing could be fitted there is nothing to learn from.
  if (!surrogate_.has_values()) return fallback_.propose(under_way, random);
  for (const Expression& kernel : under_way) surrogate_.believe(kernel);
  const SeenKernels seen = seen_.with(under_way);
  std::function<bool(const Expression&)> is_excluded;
  if (seen.remembers_any()) {
    is_excluded = [&seen](const Expression& kernel) { return seen.contains(kernel); };
  }
  // The surrogate is least sure of kernels unlike all others, and those are large: by itself the
  // search grows and grows, and passes by the small change that the best kernel needs. So every
  // second proposal, by its index in the history, is such a change, in turn a smaller and a larger
  // one.
  std::optional<Proposal> found;
  const std::size_t index = num_added_ + under_way.size();
  if (looks_nearby_ && index % 2 == 1) {
    found = propose_nearby(surrogate_, grammar_, is_excluded, evolution_, index % 4 == 3);
  }
  if (!found) found = covary::propose(surrogate_, grammar_, is_excluded, evolution_, random);
  if (!found) return std::nullopt;
  return StrategyProposal{std::move(found->kernel), found->mean, found->sd,
                          surrogate_.parameters().weights};
}

}  // namespace covary
