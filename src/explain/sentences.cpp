#include "explain/sentences.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include <covary/message_text.h>
#include <covary/option_text.h>

#include "explain/quantity_text.h"

namespace covary {
namespace {

// Titles begin with an article, a number or "Noise".
std::string lowered(std::string text) {
  if (text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  return text;
}

std::string horizon_sentence(const Explanation& explanation, const ComponentShape& shape) {
  const Scaling& input = explanation.decomposition.model().data().input_scaling(shape.columns[0]);
  switch (shape.horizon) {
    case ComponentShape::Horizon::not_asked:
    case ComponentShape::Horizon::is_zero_there:
      return {};
    case ComponentShape::Horizon::beyond_sight:
      return fmt::format("It informs a forecast even {} ranges beyond the data.",
                         number_text(horizon_sight));
    case ComponentShape::Horizon::reached:
      break;
  }
  if (shape.horizon_distance == 0.0) return "It does not inform a forecast beyond the data.";
  return fmt::format("It informs a forecast up to {} beyond the data.",
                     length_text(input, shape.horizon_distance));
}

// "+3.2 for north, −0.4 for east and −2.8 for south", the largest first; of many the ends only.
std::string level_sentence(TargetTransform transform,
                           std::vector<ExplainedComponent::Level> levels) {
  constexpr std::size_t most = 6;
  std::stable_sort(levels.begin(), levels.end(),
                   [](const auto& a, const auto& b) { return a.mean > b.mean; });
  std::vector<std::string> items;
  for (const ExplainedComponent::Level& level : levels) {
    const std::string amount =
        multiplies(transform) ? percent_text(std::expm1(level.mean)) : number_text(level.mean, 3);
    items.push_back(
        fmt::format("{}{} for {}", level.mean > 0.0 ? "+" : "", amount, shown(level.name)));
  }
  if (items.size() <= most) return fmt::format("It is {}.", list_text(items));
  const auto half = static_cast<std::ptrdiff_t>(most / 2);
  return fmt::format("Of its {} levels it is highest at {} and lowest at {}.", items.size(),
                     list_text({items.begin(), items.begin() + half}),
                     list_text({items.end() - half, items.end()}));
}

// "The effect of age differs by region."
std::string difference_sentence(const std::vector<std::string>& effects,
                                const std::vector<std::string>& groups, bool hardly) {
  const bool is_one = effects.size() == 1;
  const std::string effect =
      fmt::format("The {} of {}", is_one ? "effect" : "effects", list_text(effects));
  if (hardly) {
    return fmt::format("{} may differ by {}, but hardly {}.", effect, list_text(groups),
                       is_one ? "does" : "do");
  }
  return fmt::format("{} {} by {}.", effect, is_one ? "differs" : "differ", list_text(groups));
}

// An interaction in the kernel need not be one in the mean.
std::string dependence_sentence(const Explanation& explanation,
                                const std::vector<std::size_t>& columns) {
  const Dataset& data = explanation.decomposition.model().data();
  std::vector<std::string> names;
  std::vector<std::string> numbers;
  std::vector<std::string> groups;
  double joint = 0.0;  // bounds the variation that depends on several of them
  for (const std::size_t column : columns) {
    const InputShare& input = explanation.inputs[column];
    names.push_back(shown(input.name));
    (data.input_scaling(column).is_category() ? groups : numbers).push_back(shown(input.name));
    joint = std::max(joint, input.total - input.first_order);
  }
  constexpr double hardly = 0.01;
  if (!groups.empty() && !numbers.empty()) {
    return difference_sentence(numbers, groups, joint < hardly);
  }
  const bool is_pair = names.size() == 2;
  if (joint < hardly) {
    return is_pair ? fmt::format("The effect of {} may depend on {}, but hardly does.", names[0],
                                 names[1])
                   : fmt::format("The effects of {} may depend on each other, but hardly do.",
                                 list_text(names));
  }
  return is_pair ? fmt::format("The effect of {} depends on {}.", names[0], names[1])
                 : fmt::format("The effects of {} depend on each other.", list_text(names));
}

// Of a part that is a factor.
std::string reach_sentence(const Explanation& explanation, std::size_t component) {
  const std::vector<double>& mean = explanation.decomposition.algebra().means_at_rows(component);
  const double unit = explanation.decomposition.model().data().target_scaling().factor;
  const auto [low, high] = std::minmax_element(mean.begin(), mean.end());
  const auto text = [&](double scaled) {
    const double share = std::expm1(unit * scaled);
    return fmt::format("{}{}", share > 0.0 ? "+" : "", percent_text(share));
  };
  return fmt::format("It moves {} between {} and {}.", shown(explanation.target), text(*low),
                     text(*high));
}

// The log likelihood that goes with a part.
void append_evidence(ExplainedComponent& component) {
  if (!component.evidence_lost) return;
  component.sentences.push_back(fmt::format("Without it the log likelihood {} by {}.",
                                            *component.evidence_lost < 0.0 ? "rises" : "falls",
                                            number_text(std::abs(*component.evidence_lost), 3)));
}

std::string check_sentence(const ModelCheck& check) {
  return fmt::format("There is {} evidence ({}) of a misfit: {}.",
                     to_string(check.evidence_of_misfit), p_value_text(check.p_value), check.words);
}

}  // namespace

void append_figure_sentences(const Explanation& explanation, const ComponentShape& shape,
                             ExplainedComponent& component) {
  std::vector<std::string>& sentences = component.sentences;
  const ComponentAlgebra& algebra = explanation.decomposition.algebra();
  const bool is_constant = algebra.is_constant(component.index);
  if (is_constant) sentences.emplace_back("It is part of the offset.");
  if (is_constant || component.is_noise) {
    append_evidence(component);
    return;
  }
  if (!component.levels.empty()) {
    sentences.push_back(level_sentence(explanation.transform, component.levels));
  } else if (multiplies(explanation.transform)) {
    sentences.push_back(reach_sentence(explanation, component.index));
  }
  if (component.inputs.size() > 1 && !explanation.inputs.empty()) {
    sentences.insert(sentences.begin(), dependence_sentence(explanation, component.inputs));
  }
  if (component.is_zero) {
    // What it does for the error, others could do in its place.
    sentences.push_back(fmt::format(
        "It is not distinguishable from zero: its 95 % band covers zero everywhere{}.",
        component.error_cut > 0.01 ? ", other parts being able to take its place" : ""));
  }
  const std::string horizon = horizon_sentence(explanation, shape);
  if (!horizon.empty()) sentences.push_back(horizon);
  if (component.is_artefact) {
    sentences.push_back(fmt::format("It {}: noise or an artefact.",
                                    component.error_cut < 0.0
                                        ? fmt::format("raises the cross-validated error by {}",
                                                      percent_text(-component.error_cut))
                                        : "cuts the cross-validated error by less than 0.1 %"));
  } else {
    sentences.push_back(fmt::format("It cuts the cross-validated error by {}, to {}.",
                                    percent_text(component.error_cut),
                                    amount_text(explanation.transform, component.error)));
  }
  append_evidence(component);
  for (const ModelCheck& check : component.checks) {
    if (check.evidence_of_misfit != Misfit::none) sentences.push_back(check_sentence(check));
  }
}

std::string reach_text(const Explanation& explanation) {
  const std::size_t num_parts = explanation.components.size();
  const auto text = [&](const std::optional<std::size_t>& count, std::string_view share) {
    if (*count == num_parts) return fmt::format("{} takes all of them", share);
    if (*count == 1) return fmt::format("the first part alone reaches {}", share);
    return fmt::format("the first {} parts reach {}", count_word(*count), share);
  };
  const auto& [few, many] = std::pair(explanation.components_for_90, explanation.components_for_99);
  if (explanation.components.size() < 2 || !few) return {};
  if (few == many) return text(few, "99 %");
  return many ? text(few, "90 %") + ", " + text(many, "99 %") : text(few, "90 %");
}

std::string inputs_text(const Explanation& explanation) {
  if (explanation.inputs.size() < 2) return {};
  std::vector<const InputShare*> used;
  std::vector<std::string> unused;
  std::vector<std::string> faint;
  for (const InputShare& input : explanation.inputs) {
    if (!input.is_used) {
      unused.push_back(shown(input.name));
    } else if (input.total < 1e-3) {
      faint.push_back(shown(input.name));
    } else {
      used.push_back(&input);
    }
  }
  std::stable_sort(used.begin(), used.end(),
                   [](const InputShare* a, const InputShare* b) { return a->total > b->total; });
  std::vector<std::string> shares;
  shares.reserve(used.size());
  bool has_overlap = false;
  for (const InputShare* input : used) {
    const bool is_alone = input->total - input->first_order < 0.01;
    has_overlap = has_overlap || !is_alone;
    shares.push_back(
        is_alone ? fmt::format("{} {}", shown(input->name), percent_text(input->first_order))
                 : fmt::format("{} {} alone, {} with its interactions", shown(input->name),
                               percent_text(input->first_order), percent_text(input->total)));
  }
  std::string text;
  if (!shares.empty()) {
    text =
        fmt::format("Of the variation of the model's mean, these are the shares of the inputs: {}.",
                    fmt::join(shares, "; "));
  }
  if (!faint.empty()) {
    text += fmt::format(" Next to nothing is due to {}.", list_text(faint));
  }
  // Only where a share with interactions is named.
  const std::string overlap = has_overlap ? overlap_text(explanation) : "";
  if (!overlap.empty()) text += " " + overlap;
  if (!unused.empty()) text += fmt::format(" The model does not use {}.", list_text(unused));
  if (text.starts_with(' ')) text.erase(0, 1);
  return text;
}

std::string described_target(const Explanation& explanation) {
  const std::string target = shown(explanation.target);
  return multiplies(explanation.transform) ? target
                                           : transformed_name(explanation.transform, target);
}

std::string parts_text(const Explanation& explanation) {
  const std::size_t count = explanation.components.size();
  if (count == 1) return "by one part";
  return multiplies(explanation.transform)
             ? fmt::format("as a product of {} parts, each of which multiplies the other{},",
                           count_word(count), count == 2 ? "" : "s")
             : fmt::format("as a sum of {} parts", count_word(count));
}

std::string variance_text(const Explanation& explanation) {
  if (explanation.transform == TargetTransform::none) return "the variance";
  return fmt::format("the variance of {}",
                     transformed_name(explanation.transform, shown(explanation.target)));
}

std::string rows_text(const Explanation& explanation) {
  if (explanation.explained_rows == explanation.num_rows) {
    return fmt::format("{} rows", explanation.num_rows);
  }
  return fmt::format("{} of {} rows", explanation.explained_rows, explanation.num_rows);
}

std::string leave_one_out_text(const Explanation& explanation) {
  constexpr double nothing = 0.0005;  // reads as 0.0 %
  if (explanation.leave_one_out_r2 < nothing) {
    return fmt::format(
        "Rows left out one at a time are predicted no better than by the mean of all "
        "rows (leave-one-out, {} of {}).",
        percent_text(explanation.leave_one_out_r2), variance_text(explanation));
  }
  return fmt::format("Of rows left out one at a time the others predict {} of {} (leave-one-out).",
                     percent_text(explanation.leave_one_out_r2), variance_text(explanation));
}

std::string overlap_text(const Explanation& explanation) {
  double sum = 0.0;
  for (const InputShare& input : explanation.inputs) sum += input.is_used ? input.total : 0.0;
  constexpr double shown_as_more = 1.0005;
  if (sum < shown_as_more) return {};
  return "Shares with interactions add up to more than 100 %, for an interaction counts with each "
         "of its inputs.";
}

bool is_of_constant(const Explanation& explanation) {
  return explanation.decomposition.model().data().has_constant_target();
}

std::string summary_of(const Explanation& explanation) {
  if (is_of_constant(explanation)) {
    return fmt::format(
        "{} is {} in every one of {}: there is nothing to explain, and nothing tells how far from "
        "it other rows may be.",
        shown(explanation.target), number_text(explanation.offset, 6), rows_text(explanation));
  }
  std::string text;
  const std::string beyond = leave_one_out_text(explanation);
  if (explanation.components.size() == 1) {
    text = fmt::format(
        "{} is described by {}, around {}. {} Inside the sample, over {}, it explains "
        "{}",
        transformed_name(explanation.transform, shown(explanation.target)),
        lowered(explanation.descriptions[0]), number_text(explanation.offset), beyond,
        rows_text(explanation), percent_text(explanation.variance));
  } else {
    std::vector<std::string> parts;
    for (const std::string& title : explanation.descriptions) {
      parts.push_back(lowered(title));
    }
    text = fmt::format(
        "{} is described {} around {}: {}. {} Inside the sample, over {}, all "
        "parts together explain {}",
        described_target(explanation), parts_text(explanation), number_text(explanation.offset),
        fmt::join(parts, "; "), beyond, rows_text(explanation), percent_text(explanation.variance));
  }
  const std::string reach = reach_text(explanation);
  if (!reach.empty()) text += "; " + reach;
  text += fmt::format(". The noise that is left has a standard deviation of {}.",
                      amount_text(explanation.transform, explanation.noise_sd));
  const std::string inputs = inputs_text(explanation);
  if (!inputs.empty()) text += " " + inputs;
  return text;
}

std::string averaging_text(const Explanation& explanation) {
  if (explanation.num_members == 1) return {};
  if (explanation.num_kernels == 1) {
    return "Predictions are averaged over what the rows leave open about the parameters; this "
           "explains the likeliest ones.";
  }
  return fmt::format(
      "Predictions are averaged over {} kernels{}; this explains the likeliest, of weight {}.",
      count_word(explanation.num_kernels),
      explanation.num_members > explanation.num_kernels
          ? " and what the rows leave open about their parameters"
          : "",
      percent_text(explanation.kernel_weight));
}

std::string unexpanded_caution(const ComponentAlgebra& algebra) {
  const std::size_t count = algebra.form().unexpanded.size();
  const std::string what =
      count == algebra.size()
          ? std::string(count == 1 ? "it is left as one part" : "all parts are left as they stand")
          : fmt::format("{} of the {} parts {} left as {} in the kernel", count_word(count),
                        count_word(algebra.size()), count == 1 ? "is" : "are",
                        count == 1 ? "it stands" : "they stand");
  return fmt::format(
      "The kernel expands to more than {} products, too many to tell apart: {}{}. A search with a "
      "lower {} finds simpler kernels.",
      max_products, what,
      algebra.inputs().size() > 1 ? ", and shares and effects of the inputs are not given" : "",
      option_text("max_leaves"));
}

std::vector<std::string> general_cautions(const Explanation& explanation) {
  std::vector<std::string> cautions;
  constexpr std::size_t few_rows = 30;
  if (explanation.num_rows < few_rows) {
    cautions.push_back(fmt::format("There are only {} rows: take shares and p-values as rough.",
                                   explanation.num_rows));
  }
  std::size_t num_checks = explanation.checks.size();
  std::size_t num_misfits = 0;
  const auto count = [&](const std::vector<ModelCheck>& checks) {
    for (const ModelCheck& check : checks)
      num_misfits += check.evidence_of_misfit == Misfit::none ? 0U : 1U;
  };
  count(explanation.checks);
  for (const ExplainedComponent& component : explanation.components) {
    num_checks += component.checks.size();
    count(component.checks);
  }
  if (num_misfits > 0) {
    cautions.push_back(fmt::format(
        "{} of {} checks {} of a misfit; about {} would by chance if the model were right.",
        num_misfits, num_checks, num_misfits == 1 ? "speaks" : "speak",
        number_text(0.05 * static_cast<double>(num_checks), 2)));
  }
  const auto num_used = std::count_if(explanation.inputs.begin(), explanation.inputs.end(),
                                      [](const InputShare& input) { return input.is_used; });
  if (num_used > 1) {
    cautions.emplace_back(
        "Shares of inputs take the inputs as independent of each other: they also count "
        "combinations that the data do not have, where the model falls back towards its offset.");
  }
  return cautions;
}

}  // namespace covary
