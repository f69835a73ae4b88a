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
  return fmt::format("{} is described {} around {}. {} Inside the sample, over {}, {} {}.",
                     described_target(explanation), parts_text(explanation),
                     number_text(explanation.offset), leave_one_out_text(explanation),
                     rows_text(explanation), count == 1 ? "it explains" : "they explain",
                     percent_text(explanation.variance));
}

// What is known of rows that the model has never seen; empty where nothing is.
std::string unseen_sentences(const ReportModel& report) {
  std::string text;
  if (report.outlook && report.outlook->backtest && report.outlook->backtest_r2) {
    const std::size_t count = report.outlook->backtest->origins.size();
    text += fmt::format(
        "Forecasts from {} in the past foresaw {} of the variance of what came (backtest). ",
        count == 1 ? std::string("one origin") : fmt::format("{} origins", count_word(count)),
        percent_text(*report.outlook->backtest_r2));
  }
  if (const std::optional<HoldoutFigures>& holdout = report.search.holdout) {
    text += fmt::format(
        "Of {} rows that were kept from the search {} of the variance is predicted (held out). ",
        holdout->rows, percent_text(holdout_r2(*holdout)));
  }
  return text;
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
    const std::string overlap = overlap_text(explanation);
    if (!overlap.empty()) text += " " + overlap;
  }
  if (!unused.empty()) {
    text += fmt::format(" {} {} not used.", list_text(unused), unused.size() == 1 ? "is" : "are");
  }
  return text;
}

}  // namespace

// Of the variance of the rows that were searched on: of the few that were kept there may be none.
double holdout_r2(const HoldoutFigures& holdout) {
  return 1.0 - holdout.rmse_standardised * holdout.rmse_standardised;
}

std::string lead_of(const ReportModel& report) {
  const Explanation& explanation = report.explanation;
  const std::string unseen = unseen_sentences(report);
  if (explanation.summary.size() <= long_summary) return unseen + explanation.summary;
  std::string text = unseen + parts_sentence(explanation) + input_sentences(explanation);
  if (!report.interactions.empty()) {
    text +=
        fmt::format(" The strongest interaction is that of {} and {}.",
                    shown(report.interactions[0].x.label), shown(report.interactions[0].y.label));
  }
  return text + fmt::format(" The noise that is left has a standard deviation of {}.",
                            amount_text(explanation.transform, explanation.noise_sd));
}

}  // namespace covary
