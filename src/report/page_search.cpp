#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "explain/quantity_text.h"
#include "report/page.h"
#include "search/ladder.h"

namespace covary {
namespace {

using List = kainjow::mustache::list;

// All kernels of any search that people wait for; a page with more could not be opened.
constexpr std::size_t max_kernels = 2000;

std::string seconds_text(double seconds) {
  if (seconds < 120.0) return fmt::format("{:.1f} s", seconds);
  if (seconds < 7200.0) return fmt::format("{:.1f} minutes", seconds / 60.0);
  return fmt::format("{:.1f} hours", seconds / 3600.0);
}

// A minus as wide as a plus, as print has it.
std::string decimal(double value, int decimals) {
  const std::string text = fmt::format("{:.{}f}", value, decimals);
  return text.starts_with('-') ? "−" + text.substr(1) : text;
}

View finalist_views(const ReportedSearch& search, std::size_t num_rows) {
  List list;
  for (std::size_t i = 0; i < search.finalists.size(); ++i) {
    const ReportedFinalist& finalist = search.finalists[i];
    const bool is_first = i == 0 || finalist.rows != search.finalists[i - 1].rows;
    View view;
    put(view, "rank", std::to_string(i + 1));
    put(view, "kernel", finalist.kernel);
    put(view, "value", decimal(finalist.value, 2));
    put(view, "per_row",
        decimal(finalist.value / static_cast<double>(finalist.rows > 0 ? finalist.rows : num_rows),
                4));
    put(view, "on_rows", std::to_string(finalist.rows));
    put(view, "behind",
        is_first ? std::string("–")
                 : fmt::format("{}{}", decimal(finalist.behind, 2),
                               finalist.is_undecided ? " (undecided)" : ""));
    std::string odds = "–";
    if (!is_first && finalist.odds && !finalist.is_undecided) {
      odds = *finalist.odds > 1000.0 ? "> 1000 : 1"
                                     : fmt::format("{} : 1", number_text(*finalist.odds, 3));
    }
    put(view, "odds", odds);
    list.push_back(std::move(view));
  }
  return list;
}

View kernel_view(const ReportedKernel& kernel, std::size_t number, std::size_t all_rows) {
  const double num_rows = kernel.evidence.num_rows(all_rows);
  const auto optional_text = [](const std::optional<double>& value, double unit) {
    return value ? decimal(*value / unit, 4) : std::string("–");
  };
  View view;
  put(view, "number", std::to_string(number));
  put(view, "kernel", kernel.kernel);
  put(view, "rows", std::to_string(kernel.evidence.rows));
  put(view, "per_row",
      kernel.evidence.value ? optional_text(kernel.evidence.value, num_rows)
                            : std::string(to_string(kernel.evidence.outcome)));
  put(view, "per_row_key",
      kernel.evidence.value ? fmt::format("{}", *kernel.evidence.value / num_rows) : "");
  put(view, "expected",
      kernel.predicted_mean && kernel.predicted_sd
          ? fmt::format("{} ± {:.3f}", decimal(*kernel.predicted_mean, 3), *kernel.predicted_sd)
          : std::string("–"));
  put(view, "expected_key", kernel.predicted_mean ? fmt::format("{}", *kernel.predicted_mean) : "");
  const bool is_promoted = kernel.is_initial && rung_of(kernel.index) > 0;
  put(view, "origin", is_promoted ? "promoted" : kernel.is_initial ? "initial" : "proposed");
  put(view, "seconds", fmt::format("{:.2f}", kernel.evidence.seconds));
  put(view, "at", fmt::format("{:.1f}", kernel.wall_seconds));
  return view;
}

// Whether kernels were compared on different numbers of rows.
bool has_rungs(const ReportedSearch& search) {
  return std::any_of(search.history.begin(), search.history.end(), [&](const auto& kernel) {
    return kernel.evidence.rows != search.history.front().evidence.rows;
  });
}

// The best first, failed ones last; those that were compared on more rows before others.
std::vector<const ReportedKernel*> ranked(const ReportedSearch& search) {
  std::vector<const ReportedKernel*> kernels;
  for (const ReportedKernel& kernel : search.history) kernels.push_back(&kernel);
  std::stable_sort(kernels.begin(), kernels.end(),
                   [](const ReportedKernel* a, const ReportedKernel* b) {
                     const bool has_value = a->evidence.value && b->evidence.value;
                     if (has_value && a->evidence.rows != b->evidence.rows) {
                       return a->evidence.rows > b->evidence.rows;
                     }
                     return a->evidence.value > b->evidence.value;  // none is the least
                   });
  return kernels;
}

}  // namespace

void put_search(View& view, const ReportModel& report) {
  const ReportedSearch& search = report.search;
  view.set("has_search", report.has_search());
  put(view, "fingerprint", search.fingerprint);
  if (!report.has_search()) return;
  const std::size_t num_rows = report.model.num_rows();
  List progress;
  for (const Figure& figure : report.progress) progress.push_back(view_of(figure, 420, 290));
  view.set("progress", progress);
  view.set("finalists", finalist_views(search, num_rows));
  view.set("has_rivals", search.finalists.size() > 1);
  view.set("has_rungs", has_rungs(search));
  const std::size_t compared = search.finalists.back().rows;
  // Also where all of them were on the same few.
  const bool is_part = compared > 0 && compared < num_rows;
  put(view, "judged_rows",
      is_part ? fmt::format("{} of the {} rows", compared, num_rows)
              : fmt::format("{} rows", compared));
  view.set("has_judged", is_part || has_rungs(search));
  view.set("has_undecided", std::any_of(search.finalists.begin(), search.finalists.end(),
                                        [](const auto& one) { return one.is_undecided; }));
  view.set("is_refined", search.finalists.front().rows != compared);
  view.set("has_odds", std::any_of(search.finalists.begin() + 1, search.finalists.end(),
                                   [](const auto& one) { return one.odds && !one.is_undecided; }));

  std::vector<const ReportedKernel*> kernels = ranked(search);
  view.set("is_cut", kernels.size() > max_kernels);
  kernels.resize(std::min(kernels.size(), max_kernels));
  List rows;
  for (const ReportedKernel* kernel : kernels) {
    const auto place = static_cast<std::size_t>(kernel - search.history.data());
    rows.push_back(kernel_view(*kernel, place + 1, num_rows));
  }
  put(view, "num_shown", std::to_string(kernels.size()));
  view.set("history", rows);

  put(view, "criterion", title_of(search.criterion));
  put(view, "criterion_title", capitalized(std::string(title_of(search.criterion))));
  put(view, "num_evaluations",
      search.history.size() == 1 ? std::string("One kernel was")
                                 : fmt::format("{} kernels were", search.history.size()));
  put(view, "num_failed", std::to_string(search.num_failed));
  view.set("has_failed", search.num_failed > 0);
  put(view, "search_seconds", seconds_text(search.seconds));
  put(view, "fit_seconds", seconds_text(search.fit_seconds));
  put(view, "proposal_seconds", seconds_text(search.proposal_seconds));
  put(view, "end", end_words(search.end, search.expected_gain));
  put(view, "run", search.run);
  view.set("has_run", !search.run.empty());
  put(view, "created", search.created);
  view.set("has_created", !search.created.empty());
  put(view, "search_version", search.version);
  put(view, "seed", std::to_string(search.seed));
  List settings;
  for (const auto& [name, value] : search.settings) {
    if (value.empty()) continue;
    View entry;
    put(entry, "name", name);
    put(entry, "value", value);
    settings.push_back(std::move(entry));
  }
  view.set("settings", settings);
}

}  // namespace covary
