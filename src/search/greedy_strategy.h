#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>
#include <vector>

#include "search/seen_kernels.h"
#include "search/strategy.h"

namespace covary {

// Greedy search (CKS, Duvenaud et al. 2013; paper, section 2.3): all neighbours of the best kernel,
// in an order of the seed's, then those of the best kernel after that. Where a whole neighbourhood
// brought nothing better, it goes on with the best kernel whose neighbours are not known yet.
class GreedyStrategy final : public Strategy {
 public:
  GreedyStrategy(const Grammar& grammar, const SearchOptions& options);

  void add(const Expression& kernel, std::optional<double> value) override;
  void update(Random& random) override;
  std::optional<StrategyProposal> propose(std::span<const Expression> under_way,
                                          Random& random) override;

 private:
  bool expand_best();

  const Grammar& grammar_;
  std::uint64_t seed_;
  SeenKernels seen_;
  std::vector<std::pair<double, Expression>> open_;  // with values, not expanded yet
  std::vector<Expression> neighbourhood_;            // what is to be evaluated before moving on
};

}  // namespace covary
