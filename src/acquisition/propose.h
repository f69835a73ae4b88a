#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include <covary/expression.h>
#include <covary/grammar.h>
#include <covary/random.h>

#include "surrogate/kernel_surrogate.h"

namespace covary {

struct EvolutionOptions {
  std::size_t population = 100;
  std::size_t generations = 10;
  std::size_t offspring = 4;  // of each survivor; the best 1 / (1 + offspring) survive
  // No tree comes twice, so that every member is one more kernel looked at.
  bool is_distinct = true;
  double margin = 0.01;  // of expected improvement, in units of the values

  // To the letter of the paper's algorithm 2: repeats allowed.
  static EvolutionOptions paper();
};

struct Proposal {
  Expression kernel;
  double log_expected_improvement = 0.0;
  double mean = 0.0;
  double sd = 0.0;
};

// Every kernel that is left when an operator loses one of its sides.
std::vector<Expression> pruned(const Expression& kernel);

// What the surrogate expects of each kernel, and the improvement that it promises.
std::vector<Proposal> scored(const KernelSurrogate& surrogate, std::vector<Expression> kernels,
                             double margin);

// The kernel that promises the largest improvement, by an evolutionary search (paper, algorithm 2).
// Kernels that `is_excluded` (if it is not empty) are never proposed: evaluated, under way, failed.
// Nothing if no other kernel was met, as in a small space that is exhausted.
std::optional<Proposal> propose(const KernelSurrogate& surrogate, const Grammar& grammar,
                                const std::function<bool(const Expression&)>& is_excluded,
                                const EvolutionOptions& options, Random& random);

// The same among the kernels that are one step from the best evaluated one and not larger: one base
// kernel exchanged, or one side of an operator left out. With `prunes_twice`, also those that are
// one such step from what is left when a side was left out. Nothing if all of these are excluded.
std::optional<Proposal> propose_nearby(const KernelSurrogate& surrogate, const Grammar& grammar,
                                       const std::function<bool(const Expression&)>& is_excluded,
                                       const EvolutionOptions& options, bool prunes_twice);

}  // namespace covary
