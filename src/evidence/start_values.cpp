#include "evidence/start_values.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "base/checkpoint.h"
#include "evidence/break_scan.h"
#include "evidence/periodogram.h"

namespace covary {
namespace {

constexpr std::size_t max_hinted_periods = 6;
constexpr std::size_t max_hinted_breaks = 4;

double log_uniform(double low, double high, Random& random) {
  return low * std::exp(random.uniform() * std::log(high / low));
}

// The first is twice as likely as the second, and so on.
std::size_t ranked(std::size_t count, Random& random) {
  std::size_t rank = 0;
  while (rank + 1 < count && random.uniform() < 0.5) ++rank;
  return rank;
}

double from_prior(const Prior& prior, Random& random) {
  // Not the far tails: a start there is lost.
  return quantile(prior, 0.005 + 0.99 * random.uniform());
}

// How hints are chosen from, which are sorted by strength: starts mostly the strongest; what is
// drawn anew where the strongest may be taken already, any.
enum class Choice { mostly_strongest, any };

std::size_t chosen(std::size_t count, Choice choice, Random& random) {
  return choice == Choice::any ? random.index(count) : ranked(count, random);
}

double length_from_data(const Parameter& parameter, const DataHints::Input& input, Choice choice,
                        Random& random) {
  if (!is_period(parameter) || input.periods.empty() || random.uniform() >= 0.8) {
    return log_uniform((is_period(parameter) ? 2.0 : 1.0) * input.smallest_spacing,
                       2.0 * input.range, random);
  }
  constexpr double multiples[] = {1.0, 1.0, 1.0, 2.0, 0.5, 3.0};
  const double period = input.periods[chosen(input.periods.size(), choice, random)] *
                        multiples[random.index(std::size(multiples))];
  // Off by a quarter of a period at most at the other end of the data: further away is another
  // hill.
  const double blur = std::min(0.02, 0.25 * period / input.range);
  return period * (1.0 - blur + 2.0 * blur * random.uniform());
}

double location_from_data(const DataHints::Input& input, Choice choice, Random& random) {
  return !input.breaks.empty() && random.uniform() < 0.7
             ? input.breaks[chosen(input.breaks.size(), choice, random)]
             : input.lowest + input.range * (0.05 + 0.9 * random.uniform());
}

// One free value, from the priors or from what the data suggest.
double drawn(std::size_t i, const ParameterSpace& space, const DataHints& hints, Choice choice,
             Random& random) {
  const ParameterSpace::Entry& entry = space[i];
  const Quantity quantity = entry.parameter.quantity;
  double value = from_prior(entry.parameter.prior, random);
  const bool by_data = random.uniform() < 0.6;
  if (entry.owner == "noise") {
    value = hints.target_variance * log_uniform(1e-4, 0.5, random);
  } else if (!by_data) {
    // as drawn
  } else if (quantity == Quantity::input_length) {
    value = length_from_data(entry.parameter, hints.inputs[entry.column], choice, random);
  } else if (quantity == Quantity::input_location) {
    value = location_from_data(hints.inputs[entry.column], choice, random);
  } else if (is_variance(quantity)) {
    value = hints.target_variance * log_uniform(0.02, 3.0, random);
  } else if (quantity == Quantity::shape) {
    // The priors rarely draw a periodic curve as sharp as those that many series have.
    value = log_uniform(0.04, 2.0, random);
  }
  return space.free(i, value);
}

bool is_many_hilled(const Parameter& parameter) {
  return is_period(parameter) || parameter.quantity == Quantity::input_location;
}

bool is_length(const ParameterSpace::Entry& entry) {
  return entry.parameter.quantity == Quantity::input_length && !is_period(entry.parameter);
}

// Of preorder indices.
struct NodeRange {
  std::size_t begin = 0;
  std::size_t end = 0;

  bool holds(std::size_t node) const { return begin <= node && node < end; }
};

void add_terms(const Expression& node, std::size_t index, std::vector<NodeRange>& terms) {
  if (node.is_leaf() || node.op().op->symbol != "+") {
    terms.push_back({index, index + node.num_nodes()});
    return;
  }
  add_terms(node.left(), index + 1, terms);
  add_terms(node.right(), index + 1 + node.left().num_nodes(), terms);
}

std::vector<NodeRange> terms_with_lengths(const Expression& kernel, const ParameterSpace& space) {
  std::vector<NodeRange> terms;
  add_terms(kernel, 0, terms);
  std::erase_if(terms, [&](const NodeRange& term) {
    for (std::size_t i = 0; i < space.size(); ++i) {
      if (is_length(space[i]) && term.holds(space[i].node)) return false;
    }
    return true;
  });
  return terms;
}

// Whether two values of such a parameter are hardly on one hill: periods that drift apart by half a
// period over the data, places a tenth of the data apart.
bool is_another_hill(const ParameterSpace::Entry& entry, double one, double other, double range) {
  return is_period(entry.parameter) ? std::abs(range / one - range / other) > 0.5
                                    : std::abs(one - other) > 0.1 * range;
}

}  // namespace

DataHints data_hints(const InputColumns& inputs, std::span<const double> target,
                     const InputNames& names) {
  DataHints hints;
  hints.inputs.resize(inputs.size());
  for (const std::size_t column : names.columns(InputKind::number)) {
    StopPoint::pass();
    const std::span<const double> x = inputs[column];
    DataHints::Input& input = hints.inputs[column];
    std::vector<double> sorted(x.begin(), x.end());
    std::sort(sorted.begin(), sorted.end());
    input.lowest = sorted.front();
    input.range = sorted.back() - sorted.front();
    if (!(input.range > 0.0)) input.range = 1.0;
    input.smallest_spacing = input.range;
    for (std::size_t i = 1; i < sorted.size(); ++i) {
      const double spacing = sorted[i] - sorted[i - 1];
      if (spacing > 1e-9 * input.range) {
        input.smallest_spacing = std::min(input.smallest_spacing, spacing);
      }
    }
    input.smallest_spacing = std::max(input.smallest_spacing, 1e-4 * input.range);
    input.periods = strongest_periods(x, target, max_hinted_periods);
    input.breaks = strongest_breaks(x, target, max_hinted_breaks);
  }
  double square = 0.0;
  for (const double y : target) square += y * y;
  hints.target_variance = std::max(square / static_cast<double>(target.size()), 1e-6);
  return hints;
}

std::vector<double> start_from_priors(const ParameterSpace& space, Random& random) {
  std::vector<double> start(space.size());
  for (std::size_t i = 0; i < space.size(); ++i) {
    start[i] = space.free(i, from_prior(space[i].parameter.prior, random));
  }
  return start;
}

std::vector<double> start_from_hints(const ParameterSpace& space, const DataHints& hints,
                                     Random& random) {
  std::vector<double> start(space.size());
  for (std::size_t i = 0; i < space.size(); ++i) {
    start[i] = drawn(i, space, hints, Choice::mostly_strongest, random);
  }
  return start;
}

std::vector<std::size_t> many_hilled_parameters(const ParameterSpace& space) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (is_many_hilled(space[i].parameter)) found.push_back(i);
  }
  return found;
}

std::vector<double> with_part_redrawn(std::vector<double> place, std::size_t parameter,
                                      const ParameterSpace& space, const DataHints& hints,
                                      Random& random) {
  constexpr int max_draws = 5;
  constexpr double share_kept = 0.3;
  const ParameterSpace::Entry& entry = space[parameter];
  const double before = space.natural(parameter, place[parameter]);
  const double range = hints.inputs[entry.column].range;
  for (int i = 0; i < max_draws; ++i) {
    place[parameter] = drawn(parameter, space, hints, Choice::any, random);
    const double now = space.natural(parameter, place[parameter]);
    if (is_another_hill(entry, now, before, range)) break;
  }
  if (random.uniform() < share_kept) return place;
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (i != parameter && space[i].node == entry.node) {
      place[i] = drawn(i, space, hints, Choice::any, random);
    }
  }
  return place;
}

std::vector<double> with_term_shortened(std::vector<double> place, const Expression& kernel,
                                        const ParameterSpace& space, Random& random) {
  const std::vector<NodeRange> terms = terms_with_lengths(kernel, space);
  if (terms.empty()) return place;
  const NodeRange& term = terms[random.index(terms.size())];
  const auto multiply = [&](std::size_t i, double factor) {
    place[i] = space.free(i, factor * space.natural(i, place[i]));
  };
  const std::size_t noise = space.size() - 1;
  const double noise_before = space.natural(noise, place[noise]);
  multiply(noise, log_uniform(0.02, 0.5, random));
  std::vector<std::size_t> variances;
  double variance = 1.0;
  const double shrinkage = log_uniform(0.02, 1.0, random);
  for (std::size_t i = 0; i < noise; ++i) {
    if (!term.holds(space[i].node)) continue;
    if (is_length(space[i])) multiply(i, log_uniform(0.3, 1.0, random) * shrinkage);
    if (!is_variance(space[i].parameter.quantity)) continue;
    variances.push_back(i);
    variance *= space.natural(i, place[i]);
  }
  // A term that was not needed before has no variance to speak of.
  if (random.uniform() < 0.5 && !variances.empty()) {
    const double factor =
        std::pow(noise_before / variance, 1.0 / static_cast<double>(variances.size()));
    for (const std::size_t i : variances) multiply(i, factor);
  }
  return place;
}

std::vector<double> start_as_reference(const ParameterSpace& space, bool is_first, Random& random) {
  std::vector<double> start(space.size());
  for (std::size_t i = 0; i < space.size(); ++i) {
    start[i] = space.free(i, space[i].owner == "noise" ? 1e-4 : 1.0);
    if (!is_first) start[i] *= 0.5 + random.uniform();
  }
  return start;
}

}  // namespace covary
