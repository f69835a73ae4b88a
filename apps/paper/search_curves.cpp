// The paper's main figure: the best evidence per row over evaluations and over CPU time.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "experiments.h"
#include "outcome.h"
#include "search_runs.h"
#include "statistics.h"

namespace covary::paper {
namespace {

constexpr std::size_t num_times = 60;
// Early values can be far below what the curves are about.
constexpr double share_shown = 0.25;

double value_or_nan(const SearchRun& run, std::optional<std::size_t> best) {
  return best ? *run.evaluations[*best].value_per_row : std::numeric_limits<double>::quiet_NaN();
}

// Median and quartiles over the runs of a figure that each run has at x; nothing where one lacks
// it.
template <class ValueAt>
void add_point(Line& line, const SearchRuns& runs, double x, ValueAt value_at) {
  std::vector<double> values;
  for (const SearchRun& run : runs.runs) values.push_back(value_at(run));
  if (values.empty()) return;
  if (std::any_of(values.begin(), values.end(), [](double v) { return std::isnan(v); })) return;
  line.x.push_back(x);
  line.y.push_back(median(values));
  line.low.push_back(quantile(values, 0.25));
  line.high.push_back(quantile(values, 0.75));
}

std::string quartiles(const Line& line) {
  if (line.y.empty()) return "–";
  return fmt::format("{} ({} to {})", shown(line.y.back()), shown(line.low.back()),
                     shown(line.high.back()));
}

std::optional<double> lowest_shown(const std::vector<Line>& lines) {
  std::vector<double> ends;
  std::vector<double> all;
  for (const Line& line : lines) {
    if (!line.y.empty()) ends.push_back(line.y.back());
    all.insert(all.end(), line.low.begin(), line.low.end());
  }
  if (all.empty()) return std::nullopt;
  return std::min(quantile(all, share_shown), *std::min_element(ends.begin(), ends.end()));
}

// Over evaluations after the initial set.
Line counted_line(const SearchRuns& runs, std::size_t colour) {
  Line line{title_of_method(runs.method), {}, {}, {}, {}, colour};
  for (std::size_t i = 0; i <= runs.num_iterations; ++i) {
    add_point(line, runs, static_cast<double>(i), [&](const SearchRun& run) {
      return value_or_nan(run, run.best_of_first(runs.num_initial() + i));
    });
  }
  return line;
}

Line timed_line(const SearchRuns& runs, double last_time, std::size_t colour) {
  Line line{title_of_method(runs.method), {}, {}, {}, {}, colour};
  for (std::size_t i = 1; i <= num_times && std::isfinite(last_time); ++i) {
    const double time = last_time * static_cast<double>(i) / num_times;
    add_point(line, runs, time,
              [&](const SearchRun& run) { return value_or_nan(run, run.best_after(time)); });
  }
  return line;
}

void add_records(Outcome& outcome, const SearchRuns& runs) {
  for (const SearchRun& run : runs.runs) {
    double seconds = 0.0;
    for (std::size_t i = 0; i < run.evaluations.size(); ++i) {
      const Evaluated& evaluated = run.evaluations[i];
      seconds += evaluated.oracle_seconds + evaluated.acquisition_seconds;
      const double best = value_or_nan(run, run.best_of_first(i + 1));
      nlohmann::ordered_json shown_best = nullptr;
      if (std::isfinite(best)) shown_best = best;
      outcome.add_record({{"data", runs.data.name},
                          {"preset", runs.preset},
                          {"method", runs.method},
                          {"seed", run.seed},
                          {"evaluation", i + 1},
                          {"cpu_seconds", seconds},
                          {"best_log_evidence_per_row", shown_best},
                          {"kernel", evaluated.kernel}});
    }
  }
}

}  // namespace

void run_search_curves(const Plan& plan) {
  const std::vector<SearchRuns> all = search_runs(plan, plan.sets, plan.methods);
  Outcome outcome("search-curves", "Searches: best evidence over evaluations and over CPU time");
  outcome.say(
      "Medians (quartiles) over seeds of the largest log evidence per row. Evaluations are counted "
      "after the initial set. The last time is that of SOT's shortest run, as in the paper, which "
      "shows these curves as a figure and gives no numbers. Values of the two presets are of two "
      "conventions of the Laplace approximation and are not to be compared with each other.");
  for (const std::string& preset : plan.presets) {
    std::vector<Panel> over_evaluations;
    std::vector<Panel> over_time;
    std::vector<Cells> rows;
    for (const PaperData& data : plan.sets) {
      Panel by_count{data.title, "evaluations after the initial set", "log evidence per row"};
      Panel by_time{data.title, "CPU seconds", "log evidence per row"};
      const double last_time = last_time_stamp(all, data.name, preset);
      for (std::size_t m = 0; m < plan.methods.size(); ++m) {
        const SearchRuns* runs = find_runs(all, data.name, preset, plan.methods[m]);
        if (runs == nullptr) continue;
        by_count.lines.push_back(counted_line(*runs, m));
        by_time.lines.push_back(timed_line(*runs, last_time, m));
        std::vector<double> seconds;
        for (const SearchRun& run : runs->runs) {
          seconds.push_back(run.seconds(runs->num_evaluations));
        }
        rows.push_back({data.title, title_of_method(runs->method),
                        std::to_string(runs->runs.size()), quartiles(by_count.lines.back()),
                        quartiles(by_time.lines.back()), shown(median(seconds), 1)});
        add_records(outcome, *runs);
      }
      if (by_count.lines.empty()) continue;
      by_count.y_from = lowest_shown(by_count.lines);
      by_time.y_from = lowest_shown(by_time.lines);
      over_evaluations.push_back(std::move(by_count));
      over_time.push_back(std::move(by_time));
    }
    if (rows.empty()) continue;
    outcome.say("## Preset " + preset);
    outcome.add_table({"data", "search", "seeds", "after all evaluations", "at equal CPU time",
                       "CPU s for the evaluations"},
                      rows);
    outcome.add_figure(preset + "-evaluations",
                       "Best log evidence per row over evaluations, preset " + preset,
                       over_evaluations);
    outcome.add_figure(preset + "-time",
                       "Best log evidence per row over CPU time, preset " + preset, over_time);
  }
  outcome.write(plan);
}

}  // namespace covary::paper
