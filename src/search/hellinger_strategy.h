#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include <covary/dataset.h>

#include "acquisition/propose.h"
#include "search/random_strategy.h"
#include "search/seen_kernels.h"
#include "search/strategy.h"
#include "surrogate/kernel_surrogate.h"

namespace covary {

// The few rows on which kernels are compared: columns of scaled inputs, the same for the same seed.
std::vector<std::vector<double>> compared_rows(const Dataset& data, std::uint64_t seed);

// Bayesian optimisation with the Hellinger distance (BOMS, Malkomes et al. 2016) with the settings
// of the paper's appendix D: since the distance is expensive, candidates are an active set that
// grows by random walks and by neighbours of the best kernel, and is kept small by expected
// improvement.
class HellingerStrategy final : public Strategy {
 public:
  HellingerStrategy(const Grammar& grammar, const SearchOptions& options, const Dataset& data);

  void add(const Expression& kernel, std::optional<double> value) override;
  void update(Random& random) override;
  std::optional<StrategyProposal> propose(std::span<const Expression> under_way,
                                          Random& random) override;

 private:
  void grow_active_set(Random& random);
  std::vector<Proposal> scored_active_set() const;

  const Grammar& grammar_;
  KernelSurrogate surrogate_;
  SeenKernels seen_;
  RandomStrategy fallback_;
  std::vector<Expression> active_;
  SeenKernels is_active_;
};

}  // namespace covary
