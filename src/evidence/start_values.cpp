#include "evidence/start_values.h"

#include <algorithm>
#include <cmath>
#include <iterator>

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

}  // namespace

DataHints data_hints(const InputColumns& inputs, std::span<const double> target,
                     const InputNames& names) {
  DataHints hints;
  hints.inputs.resize(inputs.size());
  for (const std::size_t column : names.columns(InputKind::number)) {
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
    const ParameterSpace::Entry& entry = space[i];
    const Prior& prior = entry.parameter.prior;
    double value = from_prior(prior, random);
    const bool by_data = random.uniform() < 0.6;
    if (entry.owner == "noise") {
      value = hints.target_variance * log_uniform(1e-4, 0.5, random);
    } else if (!by_data) {
      // as drawn
    } else if (entry.parameter.quantity == Quantity::input_length) {
      const DataHints::Input& input = hints.inputs[entry.column];
      if (is_period(entry.parameter) && !input.periods.empty() && random.uniform() < 0.8) {
        constexpr double multiples[] = {1.0, 1.0, 1.0, 2.0, 0.5, 3.0};
        value = input.periods[ranked(input.periods.size(), random)] *
                multiples[random.index(std::size(multiples))];
        // Off by a quarter of a period at most at the other end of the data: further away is
        // another hill.
        const double blur = std::min(0.02, 0.25 * value / input.range);
        value *= 1.0 - blur + 2.0 * blur * random.uniform();
      } else {
        value = log_uniform((is_period(entry.parameter) ? 2.0 : 1.0) * input.smallest_spacing,
                            2.0 * input.range, random);
      }
    } else if (entry.parameter.quantity == Quantity::input_location) {
      const DataHints::Input& input = hints.inputs[entry.column];
      value = !input.breaks.empty() && random.uniform() < 0.7
                  ? input.breaks[ranked(input.breaks.size(), random)]
                  : input.lowest + input.range * (0.05 + 0.9 * random.uniform());
    } else if (is_variance(entry.parameter.quantity)) {
      value = hints.target_variance * log_uniform(0.02, 3.0, random);
    } else if (entry.parameter.quantity == Quantity::shape) {
      // The priors rarely draw a periodic curve as sharp as those that many series have.
      value = log_uniform(0.04, 2.0, random);
    }
    start[i] = space.free(i, value);
  }
  return start;
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
