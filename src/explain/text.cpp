#include <algorithm>
#include <ostream>

#include <fmt/format.h>

#include <covary/explain.h>
#include <covary/message_text.h>

#include "explain/quantity_text.h"
#include "explain/sentences.h"

namespace covary {
namespace {

constexpr std::size_t line_width = 96;

std::size_t num_characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

// Up to the next blank that a line may end at: a number keeps its "%" and its "=".
std::size_t end_of_word(std::string_view text) {
  std::size_t end = std::min(text.find(' '), text.size());
  while (end + 1 < text.size() &&
         std::string_view("%=<").find(text[end + 1]) != std::string::npos) {
    end = std::min(text.find(' ', end + 1), text.size());
  }
  return end;
}

// A paragraph broken between words, its lines behind `indent` blanks, and `hanging` more after the
// first.
std::string wrapped(std::string_view text, std::size_t indent = 0, std::size_t hanging = 0) {
  std::string out;
  std::size_t width = 0;
  while (!text.empty()) {
    const std::size_t end = end_of_word(text);
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t size = num_characters(word);
    if (width == 0) {
      out.append(indent, ' ');
      width = indent;
    } else if (width + 1 + size > line_width) {
      out += '\n';
      out.append(indent + hanging, ' ');
      width = indent + hanging;
    } else {
      out += ' ';
      ++width;
    }
    out += word;
    width += size;
  }
  return out + "\n";
}

// In which units lengths and periods are; times say it themselves.
std::string unit_text(const Explanation& explanation) {
  const Dataset& data = explanation.decomposition.model().data();
  std::vector<std::string> names;
  for (std::size_t i = 0; i < data.num_inputs(); ++i) {
    const Scaling& input = data.input_scaling(i);
    if (input.type == ColumnType::number && input.days_a_unit == 0.0) {
      names.push_back(shown(input.name));
    }
  }
  if (names.empty()) return {};
  if (names.size() > 1) return "; lengths and periods: in the units of their inputs";
  return fmt::format("; lengths and periods: in the unit of {}", names[0]);
}

std::string figure_table(const Explanation& explanation) {
  std::string text =
      fmt::format("  {:>4}  {:>9}  {:>7}  {:>11}  {:>9}  {:>13}  {}\n", "part", "variance", "added",
                  "of the rest", "cv error", "evidence lost", "kernel");
  text += fmt::format("  {:>4}  {:>9}  {:>7}  {:>11}  {:>9}\n", "–", "", "", "",
                      amount_text(explanation.transform, explanation.offset_error));
  for (std::size_t i = 0; i < explanation.components.size(); ++i) {
    const ExplainedComponent& c = explanation.components[i];
    text +=
        fmt::format("  {:>4}  {:>9}  {:>7}  {:>11}  {:>9}  {:>13}  {}\n", i + 1,
                    percent_text(c.variance), percent_text(c.added_variance),
                    percent_text(c.residual_variance), amount_text(explanation.transform, c.error),
                    c.evidence_lost ? number_text(*c.evidence_lost, 3) : "–", shown(c.kernel, 200));
  }
  return text + wrapped(fmt::format("variance: explained inside the sample by the parts up to this "
                                    "one; cv error: cross-validated mean absolute "
                                    "error; evidence lost: log likelihood without the part, "
                                    "nothing refitted{}",
                                    unit_text(explanation)),
                        2);
}

std::string input_table(const Explanation& explanation) {
  std::size_t width = 5;
  for (const InputShare& input : explanation.inputs) {
    width = std::max(width, num_characters(shown(input.name)));
  }
  std::string text = "Shares of the inputs in the variation of the model's mean\n\n";
  const auto line = [&](const std::string& name, const std::string& alone,
                        const std::string& total) {
    const std::string gap(width - num_characters(name), ' ');
    text += fmt::format("  {}{}  {:>8}  {:>17}\n", name, gap, alone, total);
  };
  line("input", "alone", "with interactions");
  for (const InputShare& input : explanation.inputs) {
    if (input.is_used) {
      line(shown(input.name), percent_text(input.first_order), percent_text(input.total));
    } else {
      line(shown(input.name), "–", "not used");
    }
  }
  const std::string overlap = overlap_text(explanation);
  if (!overlap.empty()) text += wrapped(overlap, 2);
  return text + "\n";
}

std::string check_text(const Explanation& explanation) {
  std::string text = "Checks\n\n";
  if (is_of_constant(explanation)) {
    return text + wrapped("Rows that are all the same leave nothing to check.", 2);
  }
  text += wrapped(
      fmt::format("Leave-one-out, each row predicted from all the others: {} of {}, a mean "
                  "absolute error of {}; {} of the rows lie inside their 95 % interval, {} inside "
                  "their 50 % interval.",
                  percent_text(explanation.leave_one_out_r2), variance_text(explanation),
                  amount_text(explanation.transform, explanation.leave_one_out_error),
                  percent_text(explanation.coverage_95), percent_text(explanation.coverage_50)),
      2);
  bool is_fine = true;
  for (const ModelCheck& check : explanation.checks) {
    if (check.evidence_of_misfit == Misfit::none) continue;
    is_fine = false;
    text += wrapped(
        fmt::format("There is {} evidence ({}) of a misfit: {}.",
                    to_string(check.evidence_of_misfit), p_value_text(check.p_value), check.words),
        2);
  }
  if (is_fine && !explanation.checks.empty()) {
    text += wrapped("The residuals give no evidence of a misfit.", 2);
  }
  return text;
}

}  // namespace

std::string to_string(const Explanation& explanation) {
  std::string text = wrapped(explanation.summary) + "\n";
  if (!explanation.averaging.empty()) text += fmt::format("{}\n", wrapped(explanation.averaging));
  for (std::size_t i = 0; i < explanation.components.size(); ++i) {
    const ExplainedComponent& component = explanation.components[i];
    text += wrapped(fmt::format("{}. {}", i + 1, component.title), 2, 3);
    text += wrapped(fmt::format("{}", fmt::join(component.sentences, " ")), 5) + "\n";
  }
  text += figure_table(explanation) + "\n";
  if (!explanation.inputs.empty()) text += input_table(explanation);
  text += check_text(explanation);
  if (!explanation.cautions.empty()) {
    text += "\nCautions\n\n";
    for (const std::string& caution : explanation.cautions) text += wrapped(caution, 2);
  }
  text += fmt::format("\n{}", wrapped(fmt::format("Kernel: {}", shown(explanation.kernel, 2000))));
  if (explanation.normal_form != explanation.kernel) {
    const bool is_expanded = explanation.decomposition.is_expanded();
    text += wrapped(fmt::format("As a sum of {}: {}", is_expanded ? "products" : "parts",
                                shown(explanation.normal_form, 2000)));
  }
  return text;
}

std::ostream& operator<<(std::ostream& stream, const Explanation& explanation) {
  return stream << to_string(explanation);
}

}  // namespace covary
