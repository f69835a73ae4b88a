#include "acquisition/propose.h"

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "acquisition/expected_improvement.h"

namespace covary {
namespace {

// One step from the kernel, and not larger: one side of an operator left out, or one base kernel
// exchanged. `met` holds the hashes of those that are there already.
void add_small_changes(const Expression& kernel, const Grammar& grammar,
                       std::unordered_set<std::uint64_t>& met, std::vector<Expression>& changes) {
  const auto offer = [&](Expression& change) {
    if (met.insert(change.tree_hash()).second) changes.push_back(std::move(change));
  };
  for (Expression& smaller : pruned(kernel)) offer(smaller);
  for (Expression& exchange : grammar.exchanges(kernel)) offer(exchange);
}

class Evolution {
 public:
  Evolution(const KernelSurrogate& surrogate, const Grammar& grammar,
            const std::function<bool(const Expression&)>& is_excluded,
            const EvolutionOptions& options, Random& random)
      : surrogate_(surrogate),
        grammar_(grammar),
        is_excluded_(is_excluded),
        options_(options),
        random_(random) {}

  std::optional<Proposal> run() {
    std::vector<Proposal> population = scored(first_population());
    for (std::size_t generation = 0; generation < options_.generations; ++generation) {
      keep_best(population,
                std::max<std::size_t>(options_.population / (1 + options_.offspring), 1));
      std::vector<Proposal> children = scored(offspring_of(population));
      std::move(children.begin(), children.end(), std::back_inserter(population));
    }
    keep_best(population, 1);
    if (population.empty()) return std::nullopt;
    return population.front();
  }

 private:
  bool is_allowed(const Expression& kernel) const { return !is_excluded_ || !is_excluded_(kernel); }

  // A random neighbour that may be proposed and, if trees have to be distinct, was not met before.
  std::optional<Expression> child_of(const Expression& parent) {
    constexpr int max_attempts = 20;
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
      std::optional<Expression> child = grammar_.random_neighbour(parent, random_);
      if (!child) return std::nullopt;
      if (!options_.is_distinct && !is_excluded_) return child;
      if (options_.is_distinct && met_.contains(child->tree_hash())) continue;
      if (!is_allowed(*child)) continue;
      met_.insert(child->tree_hash());
      return child;
    }
    return std::nullopt;
  }

  // Random neighbours of random members until it is full. Kernels that may not be proposed are not
  // members, but stepping stones: what lies behind them can be reached.
  std::vector<Expression> first_population() {
    if (!options_.is_distinct && !is_excluded_) {
      return grammar_.grow(grammar_.start_kernels(), options_.population, random_);
    }
    std::vector<Expression> parents;
    std::vector<Expression> members;
    const auto meet = [&](const Expression& kernel) {
      if (!met_.insert(kernel.tree_hash()).second && options_.is_distinct) return false;
      parents.push_back(kernel);
      if (is_allowed(kernel)) members.push_back(kernel);
      return true;
    };
    for (const Expression& kernel : grammar_.start_kernels()) meet(kernel);
    const std::size_t max_failures = 1000;  // in a row: then nothing new is left
    // Stepping stones can be without end where ever longer kernels say the same.
    const std::size_t max_parents = 100 * options_.population;
    std::size_t failures = 0;
    while (members.size() < options_.population && failures < max_failures &&
           parents.size() < max_parents) {
      const Expression parent = parents[random_.index(parents.size())];
      const std::optional<Expression> child = grammar_.random_neighbour(parent, random_);
      failures = child && meet(*child) ? 0 : failures + 1;
    }
    return members;
  }

  std::vector<Expression> offspring_of(const std::vector<Proposal>& parents) {
    std::vector<Expression> children;
    for (const Proposal& parent : parents) {
      for (std::size_t i = 0; i < options_.offspring; ++i) {
        std::optional<Expression> child = child_of(parent.kernel);
        if (child) children.push_back(std::move(*child));
      }
    }
    return children;
  }

  std::vector<Proposal> scored(std::vector<Expression> kernels) const {
    return covary::scored(surrogate_, std::move(kernels), options_.margin);
  }

  static void keep_best(std::vector<Proposal>& population, std::size_t count) {
    std::stable_sort(population.begin(), population.end(),
                     [](const Proposal& a, const Proposal& b) {
                       return a.log_expected_improvement > b.log_expected_improvement;
                     });
    if (population.size() > count) {
      population.erase(population.begin() + static_cast<std::ptrdiff_t>(count), population.end());
    }
  }

  const KernelSurrogate& surrogate_;
  const Grammar& grammar_;
  const std::function<bool(const Expression&)>& is_excluded_;
  const EvolutionOptions& options_;
  Random& random_;
  std::unordered_set<std::uint64_t> met_;  // hashes of trees
};

}  // namespace

std::vector<Expression> pruned(const Expression& kernel) {
  std::vector<Expression> found;
  for (std::size_t i = 0; i < kernel.num_nodes(); ++i) {
    const Expression node = subtree(kernel, i);
    if (node.is_leaf()) continue;
    found.push_back(with_subtree(kernel, i, node.left()));
    found.push_back(with_subtree(kernel, i, node.right()));
  }
  return found;
}

EvolutionOptions EvolutionOptions::paper() {
  EvolutionOptions options;
  options.is_distinct = false;
  return options;
}

std::vector<Proposal> scored(const KernelSurrogate& surrogate, std::vector<Expression> kernels,
                             double margin) {
  std::vector<Proposal> members;
  if (kernels.empty()) return members;
  const double incumbent = surrogate.incumbent();
  const SurrogatePrediction prediction = surrogate.predict(kernels);
  members.reserve(kernels.size());
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const double mean = prediction.mean[i];
    const double sd = prediction.sd[i];
    members.push_back(
        {std::move(kernels[i]), log_expected_improvement(mean, sd, incumbent, margin), mean, sd});
  }
  return members;
}

std::optional<Proposal> propose(const KernelSurrogate& surrogate, const Grammar& grammar,
                                const std::function<bool(const Expression&)>& is_excluded,
                                const EvolutionOptions& options, Random& random) {
  return Evolution(surrogate, grammar, is_excluded, options, random).run();
}

std::optional<Proposal> propose_nearby(const KernelSurrogate& surrogate, const Grammar& grammar,
                                       const std::function<bool(const Expression&)>& is_excluded,
                                       const EvolutionOptions& options, bool prunes_twice) {
  if (surrogate.kernels().empty()) return std::nullopt;
  const Expression best = surrogate.best();
  std::vector<Expression> kernels;
  std::unordered_set<std::uint64_t> met;
  add_small_changes(best, grammar, met, kernels);
  if (prunes_twice) {
    for (const Expression& smaller : pruned(best)) {
      add_small_changes(smaller, grammar, met, kernels);
    }
  }
  if (is_excluded) std::erase_if(kernels, is_excluded);
  const std::vector<Proposal> proposals = scored(surrogate, std::move(kernels), options.margin);
  const auto first = std::max_element(
      proposals.begin(), proposals.end(), [](const Proposal& a, const Proposal& b) {
        return a.log_expected_improvement < b.log_expected_improvement;
      });
  if (first == proposals.end()) return std::nullopt;
  return *first;
}

}  // namespace covary
