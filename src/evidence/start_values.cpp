#include "evidence/start_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace covary {
namespace {

constexpr std::size_t max_hinted_periods = 6;

double log_uniform(double low, double high, Random& random) {
  return low * std::exp(random.uniform() * std::log(high / low));
}

double from_prior(const Prior& prior, Random& random) {
  // Not the far tails: a start there is lost.
  return quantile(prior, 0.005 + 0.99 * random.uniform());
}

// y less its least-squares line over x, and the mean square of that.
std::vector<double> without_line(std::span<const double> x, std::span<const double> y) {
  const auto n = static_cast<double>(x.size());
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / n;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / n;
  double xx = 0.0;
  double xy = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  const double slope = xx > 0.0 ? xy / xx : 0.0;
  std::vector<double> rest(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) rest[i] = y[i] - mean_y - slope * (x[i] - mean_x);
  return rest;
}

// Lomb-Scargle power at one frequency: the share of y's square that a sine there explains.
double power_at(double frequency, std::span<const double> x, std::span<const double> y) {
  const double omega = 2.0 * std::numbers::pi * frequency;
  double sin2 = 0.0;
  double cos2 = 0.0;
  for (const double xi : x) {
    sin2 += std::sin(2.0 * omega * xi);
    cos2 += std::cos(2.0 * omega * xi);
  }
  const double offset = 0.5 * std::atan2(sin2, cos2);
  double ys = 0.0;
  double yc = 0.0;
  double ss = 0.0;
  double cc = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double s = std::sin(omega * x[i] - offset);
    const double c = std::cos(omega * x[i] - offset);
    ys += y[i] * s;
    yc += y[i] * c;
    ss += s * s;
    cc += c * c;
  }
  constexpr double tiny = 1e-12;
  return (ss > tiny ? ys * ys / ss : 0.0) + (cc > tiny ? yc * yc / cc : 0.0);
}

}  // namespace

std::vector<double> strongest_periods(std::span<const double> x, std::span<const double> y,
                                      std::size_t max_periods) {
  constexpr std::size_t max_rows = 400;
  constexpr std::size_t max_frequencies = 600;
  // Evenly thinned when there are many rows: this is a hint, not an estimate.
  std::vector<double> xs;
  std::vector<double> ys;
  const std::size_t stride = (x.size() + max_rows - 1) / max_rows;
  for (std::size_t i = 0; i < x.size(); i += stride) {
    xs.push_back(x[i]);
    ys.push_back(y[i]);
  }
  const auto [low, high] = std::minmax_element(xs.begin(), xs.end());
  const double range = *high - *low;
  if (!(range > 0.0) || xs.size() < 8) return {};
  const std::vector<double> rest = without_line(xs, ys);
  // From one and a half periods in the data up to the mean Nyquist frequency, four per 1 / range.
  const double lowest = 1.5 / range;
  const double highest = 0.5 * static_cast<double>(xs.size()) / range;
  const double spacing =
      std::max(0.25 / range, (highest - lowest) / static_cast<double>(max_frequencies));
  std::vector<double> powers;
  const auto num_frequencies = static_cast<std::size_t>((highest - lowest) / spacing) + 1;
  powers.reserve(num_frequencies);
  for (std::size_t i = 0; i < num_frequencies; ++i) {
    powers.push_back(power_at(lowest + static_cast<double>(i) * spacing, xs, rest));
  }

  std::vector<std::size_t> peaks;
  for (std::size_t i = 0; i < powers.size(); ++i) {
    const bool rises = i == 0 || powers[i] >= powers[i - 1];
    const bool falls = i + 1 == powers.size() || powers[i] > powers[i + 1];
    if (rises && falls) peaks.push_back(i);
  }
  std::sort(peaks.begin(), peaks.end(),
            [&](std::size_t a, std::size_t b) { return powers[a] > powers[b]; });
  if (peaks.size() > max_periods) peaks.resize(max_periods);
  std::vector<double> periods;
  for (const std::size_t i : peaks) {
    // The top of the parabola through the peak and its neighbours.
    double shift = 0.0;
    if (i > 0 && i + 1 < powers.size()) {
      const double bend = powers[i - 1] - 2.0 * powers[i] + powers[i + 1];
      if (bend < 0.0) shift = 0.5 * (powers[i - 1] - powers[i + 1]) / bend;
    }
    periods.push_back(1.0 / (lowest + (static_cast<double>(i) + shift) * spacing));
  }
  return periods;
}

DataHints data_hints(const InputColumns& inputs, std::span<const double> target) {
  DataHints hints;
  for (const std::span<const double> x : inputs) {
    DataHints::Input input;
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
    hints.inputs.push_back(std::move(input));
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
      const bool is_period = entry.parameter.name == "period";
      if (is_period && !input.periods.empty() && random.uniform() < 0.8) {
        constexpr double multiples[] = {1.0, 1.0, 1.0, 2.0, 0.5, 3.0};
        // The first peak is twice as likely as the second, and so on.
        std::size_t peak = 0;
        while (peak + 1 < input.periods.size() && random.uniform() < 0.5) ++peak;
        value = input.periods[peak] * multiples[random.index(std::size(multiples))] *
                (0.98 + 0.04 * random.uniform());
      } else {
        value = log_uniform((is_period ? 2.0 : 1.0) * input.smallest_spacing, 2.0 * input.range,
                            random);
      }
    } else if (entry.parameter.quantity == Quantity::input_location) {
      const DataHints::Input& input = hints.inputs[entry.column];
      value = input.lowest + input.range * (0.05 + 0.9 * random.uniform());
    } else if (entry.parameter.quantity == Quantity::target_variance ||
               entry.parameter.quantity == Quantity::slope_variance) {
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
