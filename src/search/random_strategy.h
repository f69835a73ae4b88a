#pragma once

#include <optional>
#include <span>
#include <vector>

#include "search/seen_kernels.h"
#include "search/strategy.h"

namespace covary {

// A random neighbour of a random kernel that was proposed before: the search without a memory of
// values, to be compared with.
class RandomStrategy final : public Strategy {
 public:
  RandomStrategy(const Grammar& grammar, const SearchOptions& options);

  void add(const Expression& kernel, std::optional<double> value) override;
  void update(Random& random) override;
  std::optional<StrategyProposal> propose(std::span<const Expression> under_way,
                                          Random& random) override;

 private:
  const Grammar& grammar_;
  SeenKernels seen_;
  std::vector<Expression> members_;
};

}  // namespace covary
