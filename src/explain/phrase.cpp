#include "explain/phrase.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>

#include <fmt/format.h>

#include <covary/message_text.h>

#include "explain/input_phrase.h"
#include "explain/quantity_text.h"

namespace covary {
namespace {

std::vector<double> different_values(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

double typical_gap(const std::vector<double>& sorted) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < sorted.size(); ++i) gaps.push_back(sorted[i] - sorted[i - 1]);
  if (gaps.empty()) return 0.0;
  std::nth_element(gaps.begin(), gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2),
                   gaps.end());
  return gaps[gaps.size() / 2];
}

InputScene scene_of(const ComponentAlgebra& algebra, std::size_t column) {
  const std::vector<double> values = different_values(algebra.inputs()[column]);
  return {algebra.model().data().input_scaling(column), range_of(algebra, column),
          typical_gap(values), values.size()};
}

void append(std::string& text, const std::string& words) {
  if (words.empty()) return;
  text += ' ';
  text += words;
}

bool is_of_categories(const Factor& factor) {
  return factor.is_base_kernel() && factor.kernel.kernel->acts_on == InputKind::category;
}

// The inputs of a product whose factors are of one kind, in the order of the inputs.
template <class Predicate>
std::vector<std::size_t> columns_with(const Product& product,
                                      const std::vector<std::size_t>& columns,
                                      const Predicate& predicate) {
  std::vector<std::size_t> found;
  for (const std::size_t column : columns) {
    const bool has_one = std::any_of(product.begin(), product.end(), [&](const Factor& factor) {
      return factor.column() == column && predicate(factor);
    });
    if (has_one) found.push_back(column);
  }
  return found;
}

Phrase describe_one(const ComponentAlgebra& algebra, const Product& product, std::size_t column,
                    const ComponentShape& shape) {
  const InputScene scene = scene_of(algebra, column);
  const InputFactors factors = factors_on(product, column, scene);
  InputPhrase words = input_phrase(factors, scene, shape);
  std::string noun = words.adjective.empty() ? "function" : words.adjective + " function";
  const bool uses_input = std::any_of(product.begin(), product.end(),
                                      [](const Factor& factor) { return factor.uses_input(); });
  if (uses_input && algebra.inputs().size() > 1) append(noun, "of " + shown(scene.scaling.name));
  append(noun, words.ending);
  append(noun, words.modifier);
  append(noun, words.when);
  return {capitalized(with_article(noun)), std::move(words.sentences), std::move(words.cautions)};
}

Phrase describe_several(const ComponentAlgebra& algebra, const Product& product,
                        const std::vector<std::size_t>& columns, const ComponentShape& shape) {
  Phrase phrase;
  std::vector<std::string> names;
  std::vector<std::string> manners;
  for (const std::size_t column : columns) {
    const InputScene scene = scene_of(algebra, column);
    const InputFactors factors = factors_on(product, column, scene);
    InputPhrase words = input_phrase(factors, scene, shape);
    const std::string name = shown(scene.scaling.name);
    names.push_back(name);
    std::string manner = words.adjective;
    append(manner, words.ending);
    if (manner.empty()) manner = "present";
    if (manner.front() == ' ') manner = manner.substr(1);
    append(manner, "in " + name);
    append(manner, words.modifier);
    append(manner, words.when);
    manners.push_back(manner);
    for (const std::string& sentence : words.sentences) {
      std::string lower = sentence;
      if (lower.starts_with("I")) lower[0] = 'i';
      if (lower.starts_with("T")) lower[0] = 't';
      if (lower.starts_with("W")) lower[0] = 'w';
      phrase.sentences.push_back(fmt::format("In {}: {}", name, lower));
    }
    for (const std::string& caution : words.cautions) {
      phrase.cautions.push_back(fmt::format("{}: {}", name, caution));
    }
  }
  phrase.title = fmt::format("A joint effect of {}: {}", list_text(names), list_text(manners));
  return phrase;
}

// "A value for each level of region, differing by sex": the first category is the head where there
// is nothing else.
Phrase describe_categories(const ComponentAlgebra& algebra, const Product& product,
                           const std::vector<std::size_t>& columns, Phrase phrase) {
  for (const std::size_t column : columns) {
    const auto factor = std::find_if(product.begin(), product.end(), [&](const Factor& one) {
      return one.column() == column && is_of_categories(one);
    });
    const BaseKernel& kernel = *factor->kernel.kernel;
    const std::string name = shown(algebra.model().data().input_scaling(column).name);
    if (phrase.title.empty()) {
      phrase.title =
          fmt::format("{} of {}", capitalized(with_article(std::string(kernel.noun))), name);
    } else {
      phrase.title += fmt::format(", {} {}", kernel.modifier, name);
    }
  }
  return phrase;
}

Phrase describe_product(const ComponentAlgebra& algebra, const Product& product,
                        const ComponentShape& shape) {
  const auto numbers = columns_with(product, shape.columns, std::not_fn(is_of_categories));
  Phrase phrase;
  if (numbers.size() == 1) {
    phrase = describe_one(algebra, product, numbers[0], shape);
  } else if (numbers.size() > 1) {
    phrase = describe_several(algebra, product, numbers, shape);
  }
  return describe_categories(
      algebra, product, columns_with(product, shape.columns, is_of_categories), std::move(phrase));
}

// Where it is large, and how large.
Phrase describe_noise(const ComponentAlgebra& algebra, std::size_t component,
                      const ComponentShape& shape) {
  Phrase phrase{"Noise", {}, {}};
  std::vector<std::string> sizes;
  std::string when;
  for (const std::size_t column : shape.columns) {
    const InputScene scene = scene_of(algebra, column);
    const InputFactors factors = factors_on(*algebra.product(component), column, scene);
    InputPhrase words = noise_phrase(factors, scene);
    if (!words.modifier.empty()) sizes.push_back(words.modifier);
    append(when, words.when);
    if (!words.when.empty() && shape.columns.size() > 1) {
      append(when, "of " + shown(scene.scaling.name));
    }
    std::move(words.sentences.begin(), words.sentences.end(), std::back_inserter(phrase.sentences));
  }
  if (!sizes.empty()) append(phrase.title, "whose size " + list_text(sizes));
  phrase.title += when;
  const std::vector<double> variances = algebra.noise(component, algebra.inputs());
  const auto [least, most] = std::minmax_element(variances.begin(), variances.end());
  const Scaling& unit = algebra.model().data().target_scaling();
  const auto sd = [&](double variance) {
    return amount_text(unit.transform, unit.factor * std::sqrt(variance));
  };
  phrase.sentences.push_back(
      sd(*least) == sd(*most) ? fmt::format("Its standard deviation is {}.", sd(*most))
                              : fmt::format("Its standard deviation at the rows is from {} to {}.",
                                            sd(*least), sd(*most)));
  return phrase;
}

// What it does can be seen in its figure; words for each of its products would be a book.
Phrase describe_unexpanded(const ComponentAlgebra& algebra, const Summand& summand,
                           const ComponentShape& shape) {
  std::vector<std::string> names;
  for (const std::size_t column : shape.columns) {
    names.push_back(shown(algebra.model().data().input_scaling(column).name));
  }
  std::string title = "A function";
  if (algebra.inputs().size() > 1) append(title, "of " + list_text(names));
  append(title, "with too many products to describe one by one");
  return {std::move(title),
          {fmt::format("Its kernel would be a sum of {:.0f} products.", summand.num_products)},
          {}};
}

std::string times_text(std::size_t count) {
  return count == 2 ? "twice" : count_word(count) + " times";
}

// "A smooth function of age" as "Two smooth functions of age".
std::string multiplied(const std::string& title, std::size_t count) {
  if (title.starts_with("Noise")) return fmt::format("{}, {}", title, times_text(count));
  const std::string_view rest = std::string_view(title).substr(title.find(' ') + 1);
  const std::string_view noun = rest.starts_with("joint effect") ? "effect"
                                : rest.starts_with("value")      ? "value"
                                                                 : "function";
  const std::size_t end = rest.find(noun) + noun.size();
  return fmt::format("{} {}s{}", capitalized(count_word(count)), rest.substr(0, end),
                     rest.substr(end));
}

}  // namespace

Phrase describe(const ComponentAlgebra& algebra, std::size_t component,
                const ComponentShape& shape) {
  if (const Summand* summand = algebra.unexpanded(component)) {
    return describe_unexpanded(algebra, *summand, shape);
  }
  const Product& product = *algebra.product(component);
  Phrase phrase = algebra.is_noise(component) ? describe_noise(algebra, component, shape)
                                              : describe_product(algebra, product, shape);
  const std::size_t num_times = algebra.num_products(component);
  if (num_times > 1) {
    phrase.sentences.push_back(
        fmt::format("The kernel has it {} with nearly the same parameters; the data know "
                    "their sum only.",
                    times_text(num_times)));
  }
  return phrase;
}

std::vector<std::string> counted(const std::vector<std::string>& titles) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < titles.size(); ++i) {
    const auto first = std::find(titles.begin(), titles.end(), titles[i]);
    if (first != titles.begin() + static_cast<std::ptrdiff_t>(i)) continue;
    const auto count = static_cast<std::size_t>(std::count(first, titles.end(), titles[i]));
    result.push_back(count == 1 ? titles[i] : multiplied(titles[i], count));
  }
  return result;
}

}  // namespace covary
