#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <covary/dataset.h>
#include <covary/expression.h>
#include <covary/grammar.h>
#include <covary/random.h>
#include <covary/search.h>

namespace covary {

struct StrategyProposal {
  Expression kernel;
  std::optional<double> predicted_mean = {};
  std::optional<double> predicted_sd = {};
  std::vector<double> weights = {};
};

// Decides which kernel to evaluate next. Siblings, one file each.
class Strategy {
 public:
  virtual ~Strategy() = default;

  // An evaluation, in the order of the history; no value if it failed. Larger is better.
  virtual void add(const Expression& kernel, std::optional<double> value) = 0;

  // From now on values are of more rows, and those before are hints.
  virtual void climb() {}

  // Takes in what was added. Called before each proposal, also before those that a resumed search
  // finds on disk, so that it goes on as if it had never stopped.
  virtual void update(Random& random) = 0;

  // The next kernel while those `under_way` have no value yet; nothing if there is none left.
  virtual std::optional<StrategyProposal> propose(std::span<const Expression> under_way,
                                                  Random& random) = 0;
};

// Only the Hellinger distance looks at the data: throws Error if there are none. All arguments have
// to outlive the strategy.
std::unique_ptr<Strategy> make_strategy(const Grammar& grammar, const SearchOptions& options,
                                        const Dataset* data);

}  // namespace covary
