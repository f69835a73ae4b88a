#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "search/seen_kernels.h"
#include "search/strategy.h"

namespace covary {

// Genetic programming on expressions (TreeGEP; paper, appendix D): generations of 200, of which the
// best tenth survives; the others are children of tournament winners, half by mutation and half by
// crossover. Kernels may have 10 leaves; a longer one counts only if it beats all before it, and
// then it moves the limit.
class TreeGepStrategy final : public Strategy {
 public:
  TreeGepStrategy(const Grammar& grammar, const SearchOptions& options);

  void add(const Expression& kernel, std::optional<double> value) override;
  void update(Random& random) override;
  std::optional<StrategyProposal> propose(std::span<const Expression> under_way,
                                          Random& random) override;

 private:
  struct Member {
    Expression kernel;
    double value = 0.0;
  };

  void begin_next_generation();
  const Expression& tournament_winner(Random& random) const;
  std::optional<Expression> replaced(const Expression& parent, const Expression& replacement,
                                     Random& random) const;
  Expression random_expression(Random& random) const;
  std::optional<Expression> child(Random& random) const;

  const Grammar& grammar_;
  SeenKernels seen_;
  std::vector<Expression> ancestors_;  // of the first generation
  std::vector<Member> parents_;        // the last full generation; empty during the first one
  std::vector<Member> generation_;     // the one that is being evaluated
  std::size_t num_tried_ = 0;          // children of this generation that were evaluated
  std::size_t leaf_limit_ = 10;
  std::optional<double> best_value_;
};

}  // namespace covary
