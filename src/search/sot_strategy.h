#pragma once

#include <optional>
#include <span>

#include "acquisition/propose.h"
#include "search/random_strategy.h"
#include "search/seen_kernels.h"
#include "search/strategy.h"
#include "surrogate/kernel_surrogate.h"

namespace covary {

class SotStrategy final : public Strategy {
 public:
  SotStrategy(const Grammar& grammar, const SearchOptions& options);

  void add(const Expression& kernel, std::optional<double> value) override;
  void climb() override { surrogate_.climb(); }
  void update(Random& random) override;
  std::optional<StrategyProposal> propose(std::span<const Expression> under_way,
                                          Random& random) override;

 private:
  const Grammar& grammar_;
  KernelSurrogate surrogate_;
  EvolutionOptions evolution_;
  SeenKernels seen_;
  RandomStrategy fallback_;
  bool looks_nearby_;
  std::size_t num_added_ = 0;
};

}  // namespace covary
