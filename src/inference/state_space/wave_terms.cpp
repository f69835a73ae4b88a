#include "inference/state_space/wave_terms.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace covary {
namespace {

// Of a sum of waves, what is less than rounding of their variance.
constexpr double rounding = 1e-17;

// No product of more has a state that anybody would wait for.
constexpr std::size_t most_factors = 8;

using Waves = std::vector<Wave>;
using Kind = MarkovFactor::Kind;

// A term under construction: white noise is only followed to be left out in the end.
struct Part {
  WaveTerm term;
  bool is_white = false;
};
using Parts = std::vector<Part>;

// e^-z I_j(z) of all j that are not less than rounding, by Miller's recurrence: downwards, where it
// is stable, from anywhere above, and scaled so that the waves have a variance of 1 in all.
std::vector<double> bessel_weights(double z) {
  const auto from = static_cast<std::size_t>(20.0 + 12.0 * std::sqrt(z));
  std::vector<double> values(from + 2, 0.0);
  values[from] = 1e-280;
  double sum = 0.0;
  for (std::size_t j = from; j > 0; --j) {
    values[j - 1] = values[j + 1] + 2.0 * static_cast<double>(j) / z * values[j];
    if (values[j - 1] > 1e200) {
      for (std::size_t k = j - 1; k < values.size(); ++k) values[k] *= 1e-280;
    }
  }
  for (std::size_t j = 0; j < values.size(); ++j) sum += (j == 0 ? 1.0 : 2.0) * values[j];
  for (double& value : values) value /= sum;
  while (values.size() > 1 && values.back() < rounding) values.pop_back();
  return values;
}

// σ² exp(−sin²(ωd/2) / (2ℓ²)) = σ² e^-z e^(z cos ωd),  z = 1/(4ℓ²).
std::optional<Waves> cycle(double length, double variance, double period, std::size_t most_waves) {
  const double z = std::max(0.25 / (length * length), 1e-20);  // as good as constant
  const double most_z = static_cast<double>(most_waves) * static_cast<double>(most_waves);
  if (!(z > 0.0 && z < most_z && period > 0.0)) return std::nullopt;
  Waves waves;
  for (const double weight : bessel_weights(z)) {
    const auto j = static_cast<double>(waves.size());
    waves.push_back(
        {(waves.empty() ? 1.0 : 2.0) * variance * weight, 0, 2.0 * std::numbers::pi * j / period});
  }
  return waves;
}

// SE repeated after so long that none of its images is felt on the stretch (e^(-9²/2) < rounding):
// its spectral density at the harmonics of that.
std::optional<Waves> smooth(double length, double variance, const Stretch& stretch,
                            std::size_t most_waves) {
  constexpr double out_of_sight = 9.0;  // lengths
  const double period = stretch.high - stretch.low + out_of_sight * length;
  const double step = 2.0 * std::numbers::pi / period;
  const double first = variance * length * std::sqrt(2.0 * std::numbers::pi) / period;
  if (!(step * length * static_cast<double>(most_waves) > out_of_sight)) return std::nullopt;
  Waves waves;
  for (double j = 0.0; step * length * j < out_of_sight; j += 1.0) {
    const double place = step * j * length;
    waves.push_back(
        {(waves.empty() ? 1.0 : 2.0) * first * std::exp(-0.5 * place * place), 0, step * j});
  }
  return waves;
}

// Of one degree and frequency one. Frequencies are the same if nothing but rounding tells them
// apart: the multiples of a day and of a seventh of it.
void merge(Waves& waves) {
  std::sort(waves.begin(), waves.end(), [](const Wave& a, const Wave& b) {
    return std::pair(a.degree, a.frequency) < std::pair(b.degree, b.frequency);
  });
  double highest = 0.0;
  double variance = 0.0;
  for (const Wave& wave : waves) {
    highest = std::max(highest, wave.frequency);
    variance += wave.variance;
  }
  if (!std::isfinite(variance)) return;  // as the evidence will be
  Waves merged;
  for (const Wave& wave : waves) {
    const bool is_same = !merged.empty() && merged.back().degree == wave.degree &&
                         wave.frequency - merged.back().frequency <= 4e-15 * highest;
    if (is_same) {
      merged.back().variance += wave.variance;
    } else {
      merged.push_back(wave);
    }
  }
  std::erase_if(merged, [&](const Wave& wave) { return !(wave.variance > rounding * variance); });
  waves = std::move(merged);
}

Waves product(const Waves& left, const Waves& right) {
  Waves waves;
  for (const Wave& a : left) {
    for (const Wave& b : right) {
      const double variance = a.variance * b.variance;
      const unsigned degree = a.degree + b.degree;
      if (a.frequency == 0.0 || b.frequency == 0.0) {
        waves.push_back({variance, degree, a.frequency + b.frequency});
      } else {
        waves.push_back({0.5 * variance, degree, a.frequency + b.frequency});
        waves.push_back({0.5 * variance, degree, std::abs(a.frequency - b.frequency)});
      }
    }
  }
  merge(waves);
  return waves;
}

class Builder {
 public:
  Builder(std::span<const double> parameters, const Stretch& stretch, std::size_t most_waves)
      : parameters_(parameters), stretch_(stretch), most_waves_(most_waves) {}

  std::optional<Parts> parts(const Expression& kernel) {
    if (kernel.is_leaf()) return leaf(kernel.base_kernel());
    const Algebra algebra = kernel.op().op->algebra;
    if (algebra == Algebra::none) return std::nullopt;
    std::optional<Parts> left = parts(kernel.left());
    if (!left) return std::nullopt;
    std::optional<Parts> right = parts(kernel.right());
    if (!right) return std::nullopt;
    if (algebra == Algebra::product) return products(*left, *right);
    left->insert(left->end(), right->begin(), right->end());
    return left;
  }

 private:
  double next() { return parameters_[place_++]; }

  static Parts waves(Waves waves) { return {{{{}, std::move(waves)}, false}}; }
  static Parts markov(const MarkovFactor& factor, double variance) {
    return {{{{factor}, {{variance, 0, 0.0}}}, false}};
  }
  static std::optional<Parts> waves(std::optional<Waves> found) {
    if (!found) return std::nullopt;
    return waves(std::move(*found));
  }

  Parts matern(Kind kind) {
    const double length = next();
    return markov({kind, length}, next());
  }

  std::optional<Parts> leaf(const BoundKernel& bound) {
    switch (bound.kernel->state_form) {
      case StateForm::none:
        return std::nullopt;
      case StateForm::matern12:
        return matern(Kind::matern12);
      case StateForm::matern32:
        return matern(Kind::matern32);
      case StateForm::matern52:
        return matern(Kind::matern52);
      case StateForm::random_walk: {
        const double variance = next();
        return markov({Kind::random_walk, 1.0, variance, next()}, 1.0);
      }
      case StateForm::constant:
        return waves({{next(), 0, 0.0}});
      case StateForm::line: {
        const double variance = next();
        return waves({{variance, 1, 0.0}, {next(), 0, 0.0}});
      }
      case StateForm::noise:
        return Parts{{{{}, {{next(), 0, 0.0}}}, true}};
      case StateForm::cycle: {
        const double length = next();
        const double variance = next();
        const bool is_calendar = bound.kernel->calendar_unit != CalendarUnit::none;
        return waves(cycle(length, variance, is_calendar ? bound.period : next(), most_waves_));
      }
      case StateForm::smooth: {
        const double length = next();
        return waves(smooth(length, next(), stretch_, most_waves_));
      }
    }
    return std::nullopt;
  }

  std::optional<Parts> products(const Parts& left, const Parts& right) const {
    Parts result;
    std::size_t num_waves = 0;
    for (const Part& a : left) {
      for (const Part& b : right) {
        num_waves += a.term.waves.size() * b.term.waves.size();
        const std::size_t num_factors = a.term.factors.size() + b.term.factors.size();
        if (num_waves > most_waves_ || num_factors > most_factors) return std::nullopt;
        Part part{{a.term.factors, product(a.term.waves, b.term.waves)}, a.is_white || b.is_white};
        part.term.factors.insert(part.term.factors.end(), b.term.factors.begin(),
                                 b.term.factors.end());
        result.push_back(std::move(part));
      }
    }
    return result;
  }

  std::span<const double> parameters_;
  Stretch stretch_;
  std::size_t most_waves_;
  std::size_t place_ = 0;
};

// The most that a wave of a term is of the variance anywhere.
double most_variance(const WaveTerm& term, const Wave& wave, const Stretch& stretch) {
  const double farthest = std::max(std::abs(stretch.low), std::abs(stretch.high));
  double variance = wave.variance * std::pow(farthest, 2.0 * wave.degree);
  for (const MarkovFactor& factor : term.factors) {
    if (factor.kind == Kind::random_walk) {
      variance *= factor.variance * farthest + factor.constant_variance;
    }
  }
  return variance;
}

}  // namespace

std::size_t WaveTerm::num_functions() const {
  std::size_t sum = 0;
  for (const Wave& wave : waves) sum += wave.num_functions();
  return sum;
}

std::optional<std::vector<WaveTerm>> wave_terms(const Expression& kernel,
                                                std::span<const double> parameters,
                                                double constant_variance, const Stretch& stretch,
                                                std::size_t most_waves) {
  std::optional<Parts> parts = Builder(parameters, stretch, most_waves).parts(kernel);
  if (!parts) return std::nullopt;
  if (constant_variance > 0.0) parts->push_back({{{}, {{constant_variance, 0, 0.0}}}, false});
  std::vector<WaveTerm> terms;
  for (Part& part : *parts) {
    if (part.is_white) continue;
    const auto same = std::find_if(terms.begin(), terms.end(), [&](const WaveTerm& term) {
      return term.factors == part.term.factors;
    });
    if (same == terms.end()) {
      terms.push_back(std::move(part.term));
    } else {
      same->waves.insert(same->waves.end(), part.term.waves.begin(), part.term.waves.end());
    }
  }
  for (WaveTerm& term : terms) merge(term.waves);
  return terms;
}

void wave_functions(std::span<const Wave> waves, double x, double origin, double* out) {
  for (const Wave& wave : waves) {
    double size = std::sqrt(wave.variance);
    for (unsigned k = 0; k < wave.degree; ++k) size *= x;
    if (wave.frequency == 0.0) {
      *out++ = size;
      continue;
    }
    const double angle = wave.frequency * (x - origin);
    *out++ = size * std::cos(angle);
    *out++ = size * std::sin(angle);
  }
}

double drop_small_waves(std::vector<WaveTerm>& terms, const Stretch& stretch, double most) {
  std::vector<std::pair<double, Wave*>> sizes;
  for (WaveTerm& term : terms) {
    for (Wave& wave : term.waves) sizes.emplace_back(most_variance(term, wave, stretch), &wave);
  }
  std::stable_sort(sizes.begin(), sizes.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  double dropped = 0.0;
  for (const auto& [size, wave] : sizes) {
    if (dropped + size > most) break;
    dropped += size;
    wave->variance = 0.0;
  }
  for (WaveTerm& term : terms) {
    std::erase_if(term.waves, [](const Wave& wave) { return wave.variance == 0.0; });
  }
  std::erase_if(terms, [](const WaveTerm& term) { return term.waves.empty(); });
  return dropped;
}

}  // namespace covary
