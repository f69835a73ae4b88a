#include "explain/input_phrase.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "explain/quantity_text.h"
#include "kernels/registry.h"

namespace covary {
namespace {

constexpr double very_smooth = 0.5;        // lengthscale, in ranges of the data
constexpr double rapidly_varying = 0.005;  // likewise
constexpr double nearly_constant = 10.0;   // likewise
constexpr double least_periods = 2.0;      // in the data, to call something periodic
constexpr double sinusoid = 0.8;      // PER's ℓ from which the second harmonic has less than a
                                      // tenth of the first one's variance
constexpr double least_growth = 1.1;  // of the amplitude from end to end, to be worth a word

// Places among a kernel's parameters.
constexpr std::size_t length_place = 0;  // of all stationary kernels
constexpr std::size_t period_place = 2;  // of PER

double period_of(const Factor& factor) { return factor.parameters[period_place]; }

// The lengthscale of a product near its peak: curvatures add, 1/ℓ² = Σ 1/ℓᵢ².
double joint_length(const std::vector<const Factor*>& factors) {
  double inverse = 0.0;
  for (const Factor* factor : factors) {
    inverse = std::hypot(inverse, 1.0 / factor->parameters[length_place]);
  }
  return 1.0 / inverse;
}

// "fairly smooth function" and "function varying on ..." without the word in the middle.
void take_noun(std::string_view noun, InputPhrase& phrase) {
  const std::size_t at = noun.find("function");
  if (at == std::string_view::npos) {
    phrase.adjective = noun;
    return;
  }
  phrase.adjective = noun.substr(0, at);
  while (phrase.adjective.ends_with(' ')) phrase.adjective.pop_back();
  phrase.ending = noun.substr(std::min(at + std::string_view("function ").size(), noun.size()));
}

void describe_length(double length, const InputScene& scene, InputPhrase& phrase) {
  const double in_ranges = length / scene.range.size();
  const std::string text = length_text(scene.scaling, length);
  if (in_ranges > very_smooth) {
    phrase.sentences.push_back(
        fmt::format("Its lengthscale is {}, more than half the range of the data.", text));
  } else {
    phrase.sentences.push_back(fmt::format("Its typical lengthscale is {}.", text));
  }
}

std::string_view smooth_word(double length, const InputScene& scene) {
  const double in_ranges = length / scene.range.size();
  if (in_ranges > nearly_constant) return "nearly constant";
  if (in_ranges > very_smooth) return "very smooth";
  return in_ranges < rapidly_varying ? "rapidly varying" : "smooth";
}

// The roughest of the factors gives the noun: a product is no smoother than any of them.
const BaseKernel& roughest(const std::vector<const Factor*>& factors) {
  constexpr std::string_view from_rough_to_smooth[] = {"MAT32", "MAT52", "RQ", "SE"};
  for (const std::string_view name : from_rough_to_smooth) {
    for (const Factor* factor : factors) {
      if (factor->kernel.kernel->name == name) return *factor->kernel.kernel;
    }
  }
  return *factors.front()->kernel.kernel;
}

void describe_smooth(const InputFactors& factors, const InputScene& scene, InputPhrase& phrase) {
  const BaseKernel& kernel = roughest(factors.smooth);
  const double length = joint_length(factors.smooth);
  const std::string_view word = smooth_word(length, scene);
  if (&kernel == &registry::squared_exponential || word == "nearly constant") {
    phrase.adjective = word;
  } else {
    take_noun(kernel.noun, phrase);
  }
  describe_length(length, scene, phrase);
}

std::vector<const Factor*> periodic_by_size(const InputFactors& factors) {
  std::vector<const Factor*> sorted = factors.periodic;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Factor* a, const Factor* b) { return period_of(*a) > period_of(*b); });
  return sorted;
}

// PER with too few periods in the data to see it repeat: a smooth function, and a caution.
void describe_unseen_period(const InputFactors& factors, const InputScene& scene,
                            InputPhrase& phrase) {
  double inverse = factors.smooth.empty() ? 0.0 : 1.0 / joint_length(factors.smooth);
  for (const Factor* factor : factors.periodic) {
    // Near its peak PER is an SE of lengthscale ℓp/π.
    inverse = std::hypot(
        inverse, std::numbers::pi / (factor->parameters[length_place] * period_of(*factor)));
  }
  phrase.adjective = smooth_word(1.0 / inverse, scene);
  const double period = period_of(*periodic_by_size(factors).front());
  const std::string sentence = fmt::format(
      "Its kernel is periodic with a period of {}, but the data hold only {} periods, so that "
      "nothing shows that it repeats.",
      length_text(scene.scaling, period), number_text(scene.range.size() / period, 2));
  phrase.sentences.push_back(sentence);
  phrase.cautions.push_back(sentence);
}

void describe_periodic(const InputFactors& factors, const InputScene& scene, InputPhrase& phrase) {
  const std::vector<const Factor*> sorted = periodic_by_size(factors);
  const auto main = std::find_if(sorted.begin(), sorted.end(), [&](const Factor* factor) {
    return scene.range.size() / period_of(*factor) >= least_periods;
  });
  if (main == sorted.end()) {
    describe_unseen_period(factors, scene, phrase);
    return;
  }
  const double period = period_of(**main);
  phrase.adjective = "periodic";
  phrase.sentences.push_back(fmt::format("Its period is {}.", length_text(scene.scaling, period)));
  if (!factors.smooth.empty()) {
    const double length = joint_length(factors.smooth);
    // 50 % of the time the phase drifts by 0.674 sd: nothing like a period is left of it.
    const bool is_loose = 1.0 / period - 0.674 / length < 0.0;
    phrase.adjective = is_loose ? "very approximately periodic" : "approximately periodic";
    phrase.sentences.push_back(
        fmt::format("Its shape changes from period to period, with a "
                    "lengthscale of {}.",
                    length_text(scene.scaling, length)));
  }
  if ((*main)->parameters[length_place] >= sinusoid) {
    phrase.sentences.emplace_back("Within a period it resembles a sinusoid.");
  }
  for (const Factor* factor : sorted) {
    if (factor == *main) continue;
    phrase.ending = "that repeats in two ways";
    phrase.sentences.push_back(
        fmt::format("It also has a period of {}.", length_text(scene.scaling, period_of(*factor))));
  }
  if (period < 2.0 * scene.typical_gap) {
    phrase.cautions.push_back(
        fmt::format("A period of {} is shorter than two steps of the data, which cannot show it.",
                    length_text(scene.scaling, period)));
  }
}

std::string power_word(std::size_t power) {
  constexpr std::string_view words[] = {"linear", "quadratic", "cubic", "quartic", "quintic"};
  return power <= std::size(words) ? std::string(words[power - 1])
                                   : fmt::format("polynomial (degree {})", power);
}

std::string power_adverb(std::size_t power) {
  constexpr std::string_view words[] = {"linearly", "quadratically", "cubically"};
  return power <= std::size(words) ? std::string(words[power - 1])
                                   : fmt::format("polynomially (degree {})", power);
}

// sd of the product of the linear factors at a place, σ²x² + σ_c² each.
double linear_size(const std::vector<const Factor*>& factors, double x) {
  double size = 1.0;
  for (const Factor* factor : factors) {
    size *= std::sqrt(factor->parameters[0] * x * x + factor->parameters[1]);
  }
  return size;
}

// LIN beside other kernels: how it changes their size. It is least at 0 of the scaled input.
void describe_size(const InputFactors& factors, const InputScene& scene,
                   const ComponentShape& shape, InputPhrase& phrase) {
  const bool is_periodic = phrase.adjective.find("periodic") != std::string::npos;
  const std::string noun = is_periodic ? "amplitude" : "variation";
  const double low = linear_size(factors.linear, scene.range.low);
  const double high = linear_size(factors.linear, scene.range.high);
  const double inside = std::clamp(0.0, scene.range.low, scene.range.high);
  const double least = linear_size(factors.linear, inside);
  if (std::max(low, high) < least_growth * least) {
    phrase.sentences.push_back(fmt::format("Its {} hardly changes over the data.", noun));
    return;
  }
  const std::string adverb = power_adverb(factors.linear.size());
  if (inside > scene.range.low && inside < scene.range.high) {
    phrase.modifier = fmt::format("with {} {} growing away from {}", noun, adverb,
                                  place_text(scene.scaling, 0.0));
    return;
  }
  const bool is_increasing = high > low;
  // The mean may do the opposite of what is likely before the data are seen.
  constexpr double plainly = 1.25;
  const bool is_contradicted =
      !shape.grid.empty() && is_periodic &&
      (is_increasing ? shape.late_size * plainly < 1.0 : shape.late_size > plainly);
  const std::string_view word =
      is_contradicted ? "varying" : (is_increasing ? "increasing" : "decreasing");
  phrase.modifier = fmt::format("with {} {} {}", adverb, word, noun);
}

void describe_polynomial(const InputFactors& factors, const ComponentShape& shape,
                         InputPhrase& phrase) {
  const std::size_t power = factors.linear.size();
  phrase.adjective = power_word(power);
  if (power == 1 && shape.monotone != 0) {
    phrase.adjective = shape.monotone > 0 ? "linearly increasing" : "linearly decreasing";
  } else if (shape.monotone != 0 && !shape.is_zero) {
    phrase.adjective = fmt::format(
        "monotonically {} {}", shape.monotone > 0 ? "increasing" : "decreasing", phrase.adjective);
  }
}

void describe_when(const InputFactors& factors, const InputScene& scene, InputPhrase& phrase) {
  const auto place = [&](double x) { return place_text(scene.scaling, x); };
  if (factors.until && factors.from) {
    phrase.when = *factors.from < *factors.until
                      ? fmt::format("from {} until {}", place(*factors.from), place(*factors.until))
                      : fmt::format("around {}", place(0.5 * (*factors.from + *factors.until)));
  } else if (factors.until) {
    phrase.when = fmt::format("until {}", place(*factors.until));
  } else if (factors.from) {
    phrase.when = fmt::format("from {} onwards", place(*factors.from));
  } else {
    return;
  }
  constexpr double ten_to_ninety = 4.394;  // widths of the sigmoid
  const double transition = ten_to_ninety * factors.change_width;
  if (transition > 0.05 * scene.range.size()) {
    phrase.sentences.push_back(fmt::format("The change is gradual, over about {}.",
                                           length_text(scene.scaling, transition)));
  }
  if (factors.until && *factors.until < scene.range.high) {
    phrase.sentences.emplace_back("It stops before the data end, and is extrapolated as zero.");
  }
}

}  // namespace

InputFactors factors_on(const Product& product, std::size_t column, const InputScene& scene) {
  InputFactors factors;
  for (const Factor& factor : product) {
    if (factor.column() != column) continue;
    if (factor.is_base_kernel()) {
      const BaseKernel* kernel = factor.kernel.kernel;
      auto& place = kernel == &registry::periodic ? factors.periodic
                    : kernel == &registry::linear ? factors.linear
                    : kernel->is_stationary       ? factors.smooth
                                                  : factors.other;
      place.push_back(&factor);
      continue;
    }
    const double location = factor.parameters[0];
    const double width = factor.parameters[1];
    constexpr double all_over = 4.6;  // widths, beyond which a side is 99 % there
    if (factor.side == Factor::Side::before) {
      if (location - scene.range.high > all_over * width) continue;
      factors.until = factors.until ? std::min(*factors.until, location) : location;
    } else {
      if (scene.range.low - location > all_over * width) continue;
      factors.from = factors.from ? std::max(*factors.from, location) : location;
    }
    factors.change_width = std::max(factors.change_width, width);
  }
  return factors;
}

InputPhrase input_phrase(const InputFactors& factors, const InputScene& scene,
                         const ComponentShape& shape) {
  InputPhrase phrase;
  const bool has_head =
      !factors.periodic.empty() || !factors.smooth.empty() || !factors.other.empty();
  if (!factors.periodic.empty()) {
    describe_periodic(factors, scene, phrase);
  } else if (!factors.smooth.empty()) {
    describe_smooth(factors, scene, phrase);
    const bool may_have_direction =
        phrase.adjective != "nearly constant" && phrase.adjective != "rapidly varying";
    if (shape.monotone != 0 && !shape.is_zero && may_have_direction) {
      const std::string_view word = shape.monotone > 0 ? "increasing" : "decreasing";
      phrase.adjective = phrase.adjective.empty()
                             ? fmt::format("monotonically {}", word)
                             : fmt::format("{}, monotonically {}", phrase.adjective, word);
    }
  } else if (!factors.other.empty()) {
    take_noun(factors.other.front()->kernel.kernel->noun, phrase);
  }
  if (!factors.linear.empty()) {
    if (has_head) {
      describe_size(factors, scene, shape, phrase);
    } else {
      describe_polynomial(factors, shape, phrase);
    }
  }
  describe_when(factors, scene, phrase);
  return phrase;
}

}  // namespace covary
