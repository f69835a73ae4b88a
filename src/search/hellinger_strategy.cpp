#include "search/hellinger_strategy.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "kernel_distance/hellinger_distances.h"

namespace covary {
namespace {

constexpr std::size_t num_rows_compared = 20;
constexpr std::size_t first_walk_length = 5;
constexpr std::size_t num_walks = 15;
constexpr double chance_to_stop = 1.0 / 3.0;
constexpr std::size_t max_neighbours = 50;
constexpr std::size_t max_active = 600;

SurrogateOptions surrogate_options(const SearchOptions& options) {
  SurrogateOptions result =
      options.acquisition == Acquisition::paper ? SurrogateOptions::paper() : SurrogateOptions{};
  result.distance_factor = 0.5;
  return result;
}

}  // namespace

std::vector<std::vector<double>> compared_rows(const Dataset& data, std::uint64_t seed) {
  Random random(seed);
  const std::vector<std::size_t> rows =
      random.sample(data.num_rows(), std::min(num_rows_compared, data.num_rows()));
  std::vector<std::vector<double>> columns(data.num_inputs());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (const std::size_t row : rows) columns[c].push_back(data.input(c)[row]);
  }
  return columns;
}

HellingerStrategy::HellingerStrategy(const Grammar& grammar, const SearchOptions& options,
                                     const Dataset& data)
    : grammar_(grammar),
      surrogate_(std::make_unique<HellingerDistances>(compared_rows(data, options.seed),
                                                      HellingerOptions{}, years_of(data)),
                 surrogate_options(options)),
      seen_(options.unique),
      fallback_(grammar, options),
      is_active_(Uniqueness::tree) {}

void HellingerStrategy::add(const Expression& kernel, std::optional<double> value) {
  if (value) surrogate_.add(kernel, *value);
  seen_.add(kernel);
  fallback_.add(kernel, value);
}

// The active set is looked after here and not in propose(), which a resumed search does not call
// for what is on disk.
void HellingerStrategy::update(Random& random) {
  if (surrogate_.kernels().empty()) return;
  surrogate_.refit(random);
  grow_active_set(random);
  if (active_.size() <= max_active) return;
  std::vector<Proposal> candidates = scored_active_set();
  std::stable_sort(candidates.begin(), candidates.end(), [](const Proposal& a, const Proposal& b) {
    return a.log_expected_improvement > b.log_expected_improvement;
  });
  active_.clear();
  is_active_ = SeenKernels(Uniqueness::tree);
  for (std::size_t i = 0; i < max_active; ++i) {
    is_active_.add(candidates[i].kernel);
    active_.push_back(std::move(candidates[i].kernel));
  }
}

void HellingerStrategy::grow_active_set(Random& random) {
  const auto offer = [&](const Expression& kernel) {
    if (is_active_.contains(kernel)) return;
    is_active_.add(kernel);
    active_.push_back(kernel);
  };
  const std::vector<Expression> base_kernels = grammar_.start_kernels();
  if (active_.empty()) {
    for (const Expression& base_kernel : base_kernels) {
      for (const Expression& kernel : grammar_.random_walk(base_kernel, first_walk_length, random))
        offer(kernel);
    }
  }
  for (std::size_t walk = 0; walk < num_walks; ++walk) {
    // The first step of a walk is the base kernel.
    std::size_t length = 1;
    while (random.uniform() >= chance_to_stop) ++length;
    const Expression& start = base_kernels[random.index(base_kernels.size())];
    const std::vector<Expression> steps = grammar_.random_walk(start, length - 1, random);
    offer(steps.empty() ? start : steps.back());
  }
  std::vector<Expression> neighbours = grammar_.neighbours(surrogate_.best());
  const std::size_t count = std::min(max_neighbours, neighbours.size());
  for (const std::size_t index : random.sample(neighbours.size(), count)) offer(neighbours[index]);
}

std::vector<Proposal> HellingerStrategy::scored_active_set() const {
  return scored(surrogate_, active_, EvolutionOptions{}.margin);
}

std::optional<StrategyProposal> HellingerStrategy::propose(std::span<const Expression> under_way,
                                                           Random& random) {
  if (surrogate_.kernels().empty()) return fallback_.propose(under_way, random);
  for (const Expression& kernel : under_way) surrogate_.believe(kernel);
  const SeenKernels seen = seen_.with(under_way);
  std::optional<Proposal> best;
  for (Proposal& candidate : scored_active_set()) {
    if (seen.contains(candidate.kernel)) continue;
    const bool is_better =
        !best || candidate.log_expected_improvement > best->log_expected_improvement;
    if (is_better) best = std::move(candidate);
  }
  if (!best) return fallback_.propose(under_way, random);
  return StrategyProposal{std::move(best->kernel), best->mean, best->sd};
}

}  // namespace covary
