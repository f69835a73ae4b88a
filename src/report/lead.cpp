// The first paragraph of a report. The explanation's summary names every part, which for several
// inputs can fill a page; then the lead says what matters most, and the summary stands below it.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include <covary/message_text.h>

#include "explain/quantity_text.h"
#include "explain/sentences.h"
#include "report/figures.h"

namespace covary {
namespace {

constexpr std::size_t long_summary = 700;  // bytes: about seven lines of a page
constexpr double small_share = 0.05;       // of an input that the lead leaves out

std::string parts_sentence(const Explanation& explanation) {
  const std::size_t count = explanation.components.size();
  return fmt::format(
      "{} is described {} around {}, which {} {} of {} over {}.", described_target(explanation),
      parts_text(explanation), number_text(explanation.offset), count == 1 ? "explains" : "explain",
      percent_text(explanation.variance),
      explanation.transform == TargetTransform::none ? "its variance" : variance_text(explanation),
      rows_text(explanation));
}

std::string input_sentences(const Explanation& explanation) {
  std::vector<InputShare> order = explanation.inputs;
  std::stable_sort(order.begin(), order.end(),
                   [](const InputShare& a, const InputShare& b) { return a.total > b.total; });
  std::vector<std::string> strong;
  std::vector<std::string> weak;
  std::vector<std::string> unused;
  for (const InputShare& input : order) {
    if (!input.is_used) {
      unused.push_back(shown(input.name));
    } else if (strong.empty() || input.total >= small_share) {
      strong.push_back(fmt::format("{} ({})", shown(input.name), percent_text(input.total)));
    } else {
      weak.push_back(shown(input.name));
    }
  }
  std::string text;
  if (!strong.empty()) {
    text += fmt::format(" Most of the variation comes from {}, each with its interactions",
                        list_text(strong));
    if (!weak.empty()) text += fmt::format("; little from {}", list_text(weak));
    text += ".";
  }
  if (!unused.empty()) {
    text += fmt::format(" {} {} not used.", list_text(unused), unused.size() == 1 ? "is" : "are");
  }
  return text;
}

}  // namespace

std::string lead_of(const ReportModel& report) {
  const Explanation& explanation = report.explanation;
  if (explanation.summary.size() <= long_summary) return explanation.summary;
  std::string text = parts_sentence(explanation) + input_sentences(explanation);
  if (!report.interactions.empty()) {
    text +=
        fmt::format(" The strongest interaction is that of {} and {}.",
                    shown(report.interactions[0].x.label), shown(report.interactions[0].y.label));
  }
  return text + fmt::format(" The noise that is left has a standard deviation of {}.",
                            amount_text(explanation.transform, explanation.noise_sd));
}

}  // namespace covary
