#include "study_figure.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "figure.h"
#include "summary.h"

namespace covary::calibration {
namespace {

using Numbers = std::vector<double>;
using paper::Line;
using paper::Panel;

constexpr std::size_t grey = 6;

Numbers levels() {
  Numbers at;
  for (int i = 0; i <= 100; ++i) at.push_back(0.01 * i);
  return at;
}

Line zero_line(const Numbers& at) {
  return {.name = "", .x = at, .y = Numbers(at.size(), 0.0), .colour = grey, .is_dashed = true};
}

// Share of ranks below each level, less the level, in hundredths; with the band that 95 % of
// uniform ranks stay in over its whole length.
Panel rank_panel(const std::vector<Inferred>& draws, const std::string& kind, bool has_whole) {
  Panel panel = {.title = "Rank of the true " + kind,
                 .x_label = "rank",
                 .y_label = "ranks below, less rank (%)"};
  const Numbers at = levels();
  const std::size_t num_beliefs = has_whole ? 3 : 1;
  for (std::size_t b = 0; b < num_beliefs; ++b) {
    if (static_cast<Belief>(b) == Belief::points) continue;
    Numbers ranks = ranks_of(draws, kind, static_cast<Belief>(b));
    std::sort(ranks.begin(), ranks.end());
    Line line = {.name = b == 0 ? "Laplace" : "whole posterior",
                 .x = at,
                 .y = {},
                 .colour = b == 0 ? 1U : 0U};
    const auto n = static_cast<double>(ranks.size());
    for (const double level : at) {
      const auto below = std::lower_bound(ranks.begin(), ranks.end(), level) - ranks.begin();
      line.y.push_back(100.0 * (static_cast<double>(below) / n - level));
    }
    panel.lines.push_back(std::move(line));
  }
  const auto n = static_cast<double>(ranks_of(draws, kind, Belief::laplace).size());
  const double reach = 100.0 * 1.358 / std::sqrt(n);
  Line zero = zero_line(at);
  zero.low = Numbers(at.size(), -reach);
  zero.high = Numbers(at.size(), reach);
  panel.lines.push_back(std::move(zero));
  return panel;
}

Panel coverage_panel(const std::vector<Inferred>& draws, const Setting& setting, Where where,
                     const std::string& title, bool has_whole) {
  Panel panel = {
      .title = title, .x_label = "interval's probability", .y_label = "coverage, less that (%)"};
  Numbers at = levels();
  at.erase(at.begin());
  at.pop_back();
  std::vector<std::pair<Way, std::string>> ways = {{Way::best, "best kernel and parameters"},
                                                   {Way::search, "what a search hands back"}};
  if (has_whole) ways.emplace_back(Way::whole, "whole posterior");
  const std::size_t colours[] = {2, 1, 0};
  for (std::size_t w = 0; w < ways.size(); ++w) {
    Line line = {.name = ways[w].second, .x = at, .y = {}, .colour = colours[w]};
    for (const double level : at) {
      const Estimate share = coverage(draws, setting, ways[w].first, where, level);
      line.y.push_back(100.0 * (share.mean - level));
      if (ways[w].first != Way::search) continue;
      line.low.push_back(100.0 * (share.mean - level - 2.0 * share.error));
      line.high.push_back(100.0 * (share.mean - level + 2.0 * share.error));
    }
    panel.lines.push_back(std::move(line));
  }
  panel.lines.push_back(zero_line(at));
  return panel;
}

Panel reliability_panel(const std::vector<Inferred>& draws, bool has_whole) {
  Panel panel = {
      .title = "Probabilities of kernels", .x_label = "said", .y_label = "share that was true"};
  for (const bool is_whole : {false, true}) {
    if (is_whole && !has_whole) continue;
    Line line = {.name = is_whole ? "whole posterior" : "Laplace",
                 .x = {},
                 .y = {},
                 .colour = is_whole ? 0U : 1U,
                 .has_marks = true};
    for (const ReliabilityBin& bin :
         reliability(draws, is_whole ? Evidences::whole : Evidences::laplace)) {
      if (bin.count == 0) continue;
      line.x.push_back(bin.said);
      line.y.push_back(bin.share());
      if (is_whole) continue;
      line.low.push_back(bin.share() - 2.0 * bin.excess.error);
      line.high.push_back(bin.share() + 2.0 * bin.excess.error);
    }
    panel.lines.push_back(std::move(line));
  }
  panel.lines.push_back(
      {.name = "", .x = {0.0, 1.0}, .y = {0.0, 1.0}, .colour = grey, .is_dashed = true});
  return panel;
}

}  // namespace

std::string study_figure(const std::vector<Inferred>& draws, const Setting& setting) {
  const bool has_whole = !draws.front().whole_log_probability.empty();
  std::vector<Panel> panels = {
      coverage_panel(draws, setting, Where::inside, "Unseen rows inside", has_whole),
      coverage_panel(draws, setting, Where::ahead, "Unseen rows ahead", has_whole),
      reliability_panel(draws, has_whole)};
  std::vector<std::string> kinds = kinds_of(draws);
  constexpr std::size_t most_kinds = 6;
  kinds.resize(std::min(kinds.size(), most_kinds));
  for (const std::string& kind : kinds) panels.push_back(rank_panel(draws, kind, has_whole));
  return paper::svg_of("What was said of draws from the priors, and what was so", panels);
}

}  // namespace covary::calibration
