#include "explain/input_phrase.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include <covary/message_text.h>

#include "covariance/compiled_kernel.h"
#include "explain/quantity_text.h"

namespace covary {
namespace {

constexpr double very_smooth = 0.5;        // lengthscale, in ranges of the data
constexpr double rapidly_varying = 0.005;  // likewise
constexpr double nearly_constant = 10.0;   // likewise
constexpr double least_periods = 2.0;      // in the data, to call something periodic
constexpr double safe_periods = 3.0;       // in the data, to do so without a caution
constexpr std::size_t few_values = 12;     // of an input: fewer show no period
constexpr double least_growth = 1.1;       // of the amplitude from end to end, to be worth a word

const BaseKernel& kernel_of(const Factor& factor) { return *factor.kernel.kernel; }

// The period of a periodic factor, the lengthscale of a smooth one.
double length_of(const Factor& factor) {
  if (kernel_of(factor).calendar_unit != CalendarUnit::none) return factor.kernel.period;
  return factor.parameters[length_place(kernel_of(factor)).value()];
}

// What the functions of a base kernel take: a period of the calendar comes after the parameters.
std::vector<double> values_of(const Factor& factor) {
  std::vector<double> values(factor.parameters.begin(), factor.parameters.end());
  if (kernel_of(factor).calendar_unit != CalendarUnit::none) {
    values.push_back(factor.kernel.period);
  }
  return values;
}

// The lengthscale of a product near its peak: curvatures add, 1/ℓ² = Σ 1/ℓᵢ².
double joint_length(const std::vector<const Factor*>& factors) {
  double inverse = 0.0;
  for (const Factor* factor : factors) {
    const auto peak_length = kernel_of(*factor).peak_length;
    const double length =
        peak_length != nullptr ? peak_length(values_of(*factor)) : length_of(*factor);
    inverse = std::hypot(inverse, 1.0 / length);
  }
  return 1.0 / inverse;
}

void add_remark(const Factor& factor, InputPhrase& phrase) {
  if (kernel_of(factor).remark == nullptr) return;
  const std::string_view sentence = kernel_of(factor).remark(values_of(factor));
  if (!sentence.empty()) phrase.sentences.emplace_back(sentence);
}

void add_modifier(std::string_view words, InputPhrase& phrase) {
  if (!phrase.modifier.empty()) phrase.modifier += ", ";
  phrase.modifier += words;
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
  return kernel_of(
      **std::max_element(factors.begin(), factors.end(), [](const Factor* a, const Factor* b) {
        return kernel_of(*a).roughness < kernel_of(*b).roughness;
      }));
}

void describe_smooth(const InputFactors& factors, const InputScene& scene, InputPhrase& phrase) {
  const BaseKernel& kernel = roughest(factors.smooth);
  const double length = joint_length(factors.smooth);
  const std::string_view word = smooth_word(length, scene);
  if (kernel.is_named_by_length || word == "nearly constant") {
    phrase.adjective = word;
  } else {
    take_noun(kernel.noun, phrase);
  }
  describe_length(length, scene, phrase);
  for (const Factor* factor : factors.smooth) add_remark(*factor, phrase);
}

// A kernel that only its own words are known of, with its lengths along the input.
void describe_plain(const Factor& factor, const InputScene& scene, InputPhrase& phrase) {
  const BaseKernel& kernel = kernel_of(factor);
  take_noun(kernel.noun, phrase);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    if (kernel.parameters[i].quantity != Quantity::input_length) continue;
    phrase.sentences.push_back(fmt::format("Its {} is {}.", kernel.parameters[i].name,
                                           length_text(scene.scaling, factor.parameters[i])));
  }
  add_remark(factor, phrase);
}

std::vector<const Factor*> periodic_by_size(const InputFactors& factors) {
  std::vector<const Factor*> sorted = factors.periodic;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Factor* a, const Factor* b) { return length_of(*a) > length_of(*b); });
  return sorted;
}

// Rows of two whole years hold two periods of a year, though the last is a month after the one
// before it.
double periods_in(const InputScene& scene, double period) {
  constexpr double rounding = 1e-3;
  return (scene.range.size() + scene.typical_gap) / period + rounding;
}

// Why a period is to be taken with care, in the part's words and among the cautions.
void doubt_period(double period, const InputScene& scene, InputPhrase& phrase) {
  const auto add = [&](const std::string& sentence) {
    phrase.sentences.push_back(sentence);
    phrase.cautions.push_back(sentence);
  };
  const double periods = periods_in(scene, period);
  if (periods < safe_periods) {
    add(fmt::format("The data hold only {} periods of {}, too few to be sure that it repeats.",
                    number_text(periods, 2), length_text(scene.scaling, period)));
  }
  if (scene.num_values < few_values) {
    add(
        fmt::format("There are only {} different values of {}, too few to show a period: what lies "
                    "between them is a guess.",
                    scene.num_values, shown(scene.scaling.name)));
  }
  if (period < 2.0 * scene.typical_gap) {
    phrase.cautions.push_back(
        fmt::format("A period of {} is shorter than two steps of the data, which cannot show it.",
                    length_text(scene.scaling, period)));
  }
}

// Too few periods in the data to see it repeat: a smooth function, and a caution.
void describe_unseen_period(const InputFactors& factors, const InputScene& scene,
                            InputPhrase& phrase) {
  std::vector<const Factor*> all = factors.smooth;
  all.insert(all.end(), factors.periodic.begin(), factors.periodic.end());
  phrase.adjective = smooth_word(joint_length(all), scene);
  const double period = length_of(*periodic_by_size(factors).front());
  const std::string sentence = fmt::format(
      "Its kernel is periodic with a period of {}, but the data hold only {} periods, so that "
      "nothing shows that it repeats.",
      length_text(scene.scaling, period), number_text(periods_in(scene, period), 2));
  phrase.sentences.push_back(sentence);
  phrase.cautions.push_back(sentence);
}

void describe_periodic(const InputFactors& factors, const InputScene& scene, InputPhrase& phrase) {
  const std::vector<const Factor*> sorted = periodic_by_size(factors);
  const auto main = std::find_if(sorted.begin(), sorted.end(), [&](const Factor* factor) {
    return periods_in(scene, length_of(*factor)) >= least_periods;
  });
  if (main == sorted.end()) {
    describe_unseen_period(factors, scene, phrase);
    return;
  }
  const double period = length_of(**main);
  phrase.repeats = true;
  if (kernel_of(**main).calendar_unit != CalendarUnit::none) {
    take_noun(kernel_of(**main).noun, phrase);  // "yearly" says it all
  } else {
    phrase.adjective = "periodic";
    phrase.sentences.push_back(
        fmt::format("Its period is {}.", length_text(scene.scaling, period)));
  }
  if (!factors.smooth.empty()) {
    const double length = joint_length(factors.smooth);
    // 50 % of the time the phase drifts by 0.674 sd: nothing like a period is left of it.
    const bool is_loose = 1.0 / period - 0.674 / length < 0.0;
    phrase.adjective.insert(0, is_loose ? "very approximately " : "approximately ");
    phrase.sentences.push_back(
        fmt::format("Its shape changes from period to period, with a "
                    "lengthscale of {}.",
                    length_text(scene.scaling, length)));
  }
  add_remark(**main, phrase);
  std::vector<std::string> other_periods;
  for (const Factor* factor : sorted) {
    if (factor != *main) {
      other_periods.push_back(length_text(scene.scaling, length_of(*factor)));
    }
  }
  if (!other_periods.empty()) {
    const bool are_two = other_periods.size() == 1;
    phrase.ending = are_two ? "that repeats in two ways" : "that repeats in several ways";
    phrase.sentences.push_back(fmt::format(
        "It also has {} of {}.", are_two ? "a period" : "periods", list_text(other_periods)));
  }
  doubt_period(period, scene, phrase);
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

// sd of the product of the factors at a place.
double size_at(const std::vector<const Factor*>& factors, double x) {
  double size = 1.0;
  for (const Factor* factor : factors) {
    const CompiledKernel kernel(BoundKernel{factor->kernel.kernel, 0});
    double variance = 0.0;
    kernel.diagonal(factor->parameters, {{&x, 1}}, {&variance, 1});
    size *= std::sqrt(variance);
  }
  return size;
}

std::vector<double> sizes_along(const std::vector<const Factor*>& factors, const Range& range) {
  constexpr std::size_t num_places = 33;
  std::vector<double> sizes;
  for (std::size_t i = 0; i < num_places; ++i) {
    const double part = static_cast<double>(i) / static_cast<double>(num_places - 1);
    sizes.push_back(size_at(factors, range.low + part * range.size()));
  }
  return sizes;
}

// A polynomial beside other kernels: how it changes their size. It is least at 0 of the scaled
// input.
void describe_size(const InputFactors& factors, const InputScene& scene,
                   const ComponentShape& shape, InputPhrase& phrase) {
  const bool is_periodic = phrase.repeats;
  const std::string noun = is_periodic ? "amplitude" : "variation";
  const double low = size_at(factors.polynomial, scene.range.low);
  const double high = size_at(factors.polynomial, scene.range.high);
  const double inside = std::clamp(0.0, scene.range.low, scene.range.high);
  const double least = size_at(factors.polynomial, inside);
  if (std::max(low, high) < least_growth * least) {
    phrase.sentences.push_back(fmt::format("Its {} hardly changes over the data.", noun));
    return;
  }
  const std::string adverb = power_adverb(factors.polynomial.size());
  if (inside > scene.range.low && inside < scene.range.high) {
    add_modifier(fmt::format("with {} {} growing away from {}", noun, adverb,
                             place_text(scene.scaling, 0.0)),
                 phrase);
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
  add_modifier(fmt::format("with {} {} {}", adverb, word, noun), phrase);
}

void describe_polynomial(const InputFactors& factors, const ComponentShape& shape,
                         InputPhrase& phrase) {
  const std::size_t power = factors.polynomial.size();
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

std::vector<const Factor*>& InputFactors::of_role(KernelRole role) {
  switch (role) {
    case KernelRole::smooth:
      return smooth;
    case KernelRole::periodic:
      return periodic;
    case KernelRole::polynomial:
      return polynomial;
    case KernelRole::plain:
    case KernelRole::wandering:
      break;
  }
  return plain;
}

InputFactors factors_on(const Product& product, std::size_t column, const InputScene& scene) {
  InputFactors factors;
  for (const Factor& factor : product) {
    if (factor.column() != column) continue;
    if (factor.is_base_kernel()) {
      // Those have words of their own, behind all that is said of numbers.
      if (kernel_of(factor).acts_on == InputKind::category) continue;
      factors.of_role(kernel_of(factor).role).push_back(&factor);
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
      !factors.periodic.empty() || !factors.smooth.empty() || !factors.plain.empty();
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
  }
  for (const Factor* factor : factors.plain) {
    const bool is_head = factors.periodic.empty() && factors.smooth.empty();
    if (is_head && factor == factors.plain.front()) {
      describe_plain(*factor, scene, phrase);
    } else {
      add_modifier(kernel_of(*factor).modifier, phrase);
    }
  }
  if (!factors.polynomial.empty()) {
    if (has_head) {
      describe_size(factors, scene, shape, phrase);
    } else {
      describe_polynomial(factors, shape, phrase);
    }
  }
  describe_when(factors, scene, phrase);
  return phrase;
}

InputPhrase noise_phrase(const InputFactors& factors, const InputScene& scene) {
  std::vector<const Factor*> sizes;
  for (const auto* role :
       {&factors.periodic, &factors.smooth, &factors.polynomial, &factors.plain}) {
    std::copy_if(role->begin(), role->end(), std::back_inserter(sizes),
                 [](const Factor* factor) { return factor->uses_input(); });
  }
  InputPhrase phrase;
  const std::vector<double> along = sizes_along(sizes, scene.range);
  const auto [least, most] = std::minmax_element(along.begin(), along.end());
  if (*most >= least_growth * *least) {
    const bool grows = std::is_sorted(along.begin(), along.end());
    const bool falls = std::is_sorted(along.rbegin(), along.rend());
    phrase.modifier = fmt::format("{} with {}", grows ? "grows" : (falls ? "falls" : "changes"),
                                  shown(scene.scaling.name));
  }
  describe_when(factors, scene, phrase);
  return phrase;
}

}  // namespace covary
