// Table 2 and its box plots: how the selected kernels predict rows that were held out.
#include <algorithm>
#include <array>
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

constexpr double significance = 0.05;

struct Published {
  double mean;
  double sd;
};

// Table 2: NLL at the final time stamp.
const std::map<std::string, std::map<std::string, Published>>& published() {
  static const std::map<std::string, std::map<std::string, Published>> nll = {
      {"airline",
       {{"greedy", {-0.4042, 0.615}},
        {"hellinger", {0.3368, 0.207}},
        {"treegep", {-0.5594, 0.580}},
        {"sot", {-0.7015, 0.471}}}},
      {"lgbb",
       {{"greedy", {-0.7528, 0.661}},
        {"hellinger", {-0.8787, 0.854}},
        {"treegep", {-1.0701, 0.532}},
        {"sot", {-0.9325, 0.492}}}},
      {"powerplant",
       {{"greedy", {-0.0053, 0.054}},
        {"hellinger", {0.0580, 0.037}},
        {"treegep", {-0.0241, 0.057}},
        {"sot", {-0.0661, 0.032}}}},
      {"airfoil",
       {{"greedy", {0.0837, 0.026}},
        {"hellinger", {0.9080, 0.205}},
        {"treegep", {0.1826, 0.118}},
        {"sot", {0.1006, 0.090}}}},
      {"concrete",
       {{"greedy", {0.3254, 0.019}},
        {"hellinger", {0.6633, 0.207}},
        {"treegep", {0.2812, 0.074}},
        {"sot", {0.2872, 0.044}}}},
  };
  return nll;
}

struct Figures {
  std::vector<double> nll;
  std::vector<double> rmse;
};

// At the last time stamp, or after all evaluations.
Figures figures_of(const SearchRuns& runs, const TrainingAndTest& split, double time) {
  Figures figures;
  for (const SearchRun& run : runs.runs) {
    const auto best =
        std::isfinite(time) ? run.best_after(time) : run.best_of_first(runs.num_evaluations);
    if (!best) continue;
    const auto tested = test_figures(run.evaluations[*best], split);
    if (!tested) continue;
    figures.nll.push_back(tested->nll_standardised);
    figures.rmse.push_back(tested->rmse_standardised);
  }
  return figures;
}

std::string mean_and_sd(const std::vector<double>& values) {
  if (values.empty()) return "–";
  return fmt::format("{} ({})", shown(mean_of(values)), shown(sample_sd(values), 3));
}

// Bold where the mean is the smallest, or not significantly different from it.
Cells marked(const std::vector<const std::vector<double>*>& columns) {
  const std::vector<double>* best = nullptr;
  for (const auto* values : columns) {
    if (values->empty()) continue;
    if (best == nullptr || mean_of(*values) < mean_of(*best)) best = values;
  }
  const auto num_compared = std::count_if(columns.begin(), columns.end(),
                                          [](const auto* values) { return !values->empty(); });
  Cells cells;
  for (const auto* values : columns) {
    const bool is_good = num_compared > 1 && !values->empty() &&
                         (values == best || t_test(*values, *best) > significance);
    cells.push_back(is_good ? bold(mean_and_sd(*values)) : mean_and_sd(*values));
  }
  return cells;
}

void add_records(Outcome& outcome, const SearchRuns& runs, const char* when,
                 const Figures& figures) {
  for (std::size_t i = 0; i < figures.nll.size(); ++i) {
    outcome.add_record({{"data", runs.data.name},
                        {"preset", runs.preset},
                        {"method", runs.method},
                        {"when", when},
                        {"nll", figures.nll[i]},
                        {"rmse", figures.rmse[i]}});
  }
}

Cells published_row(const PaperData& data, const std::vector<std::string>& methods) {
  Cells row = {data.title, "published"};
  for (const std::string& method : methods) {
    const auto& of_data = published().at(data.name);
    const auto found = of_data.find(method);
    row.push_back(found == of_data.end() ? "–"
                                         : fmt::format("{} ({})", shown(found->second.mean),
                                                       shown(found->second.sd, 3)));
  }
  return row;
}

}  // namespace

void run_test_performance(const Plan& plan) {
  const std::vector<SearchRuns> all = search_runs(plan, plan.sets, plan.methods);
  Outcome outcome("test-performance", "Test performance of the selected kernels");
  outcome.say(
      "Means (standard deviations) over seeds on held-out rows, target standardised: negative log "
      "predictive density (NLL) and root mean squared error (RMSE). The last time stamp is the "
      "CPU time of SOT's shortest run. Bold: the best, and what a two-sample t-test (Welch) at "
      "0.05 does not tell from it. The published numbers are those of the paper's Table 2.");
  Cells heading = {"data", ""};
  for (const std::string& method : plan.methods) heading.push_back(title_of_method(method));
  struct When {
    const char* name;
    const char* title;
  };
  const std::array<When, 2> moments = {
      {{"time", "at the last time stamp"}, {"evaluations", "after all evaluations"}}};
  for (const When& when : moments) {
    std::vector<Cells> nll_rows;
    std::vector<Cells> rmse_rows;
    std::vector<Panel> panels;
    const bool is_at_time = std::string(when.name) == "time";
    for (const PaperData& data : plan.sets) {
      const TrainingAndTest split = plan.split(data);
      if (is_at_time) nll_rows.push_back(published_row(data, plan.methods));
      for (const std::string& preset : plan.presets) {
        const double time = is_at_time ? last_time_stamp(all, data.name, preset)
                                       : std::numeric_limits<double>::infinity();
        std::vector<Figures> by_method(plan.methods.size());
        const std::string title = data.title + ", preset " + preset;
        Panel nll{title, "", "test NLL"};
        Panel rmse{title, "", "test RMSE"};
        for (std::size_t m = 0; m < plan.methods.size(); ++m) {
          const SearchRuns* runs = find_runs(all, data.name, preset, plan.methods[m]);
          if (runs == nullptr) continue;
          by_method[m] = figures_of(*runs, split, time);
          add_records(outcome, *runs, when.name, by_method[m]);
          nll.boxes.push_back({title_of_method(runs->method), by_method[m].nll, m});
          rmse.boxes.push_back({title_of_method(runs->method), by_method[m].rmse, m});
        }
        if (nll.boxes.empty()) continue;
        std::vector<const std::vector<double>*> nll_columns;
        std::vector<const std::vector<double>*> rmse_columns;
        for (const Figures& figures : by_method) {
          nll_columns.push_back(&figures.nll);
          rmse_columns.push_back(&figures.rmse);
        }
        Cells nll_row = {data.title, "Covary, preset " + preset};
        for (std::string& cell : marked(nll_columns)) nll_row.push_back(std::move(cell));
        Cells rmse_row = {data.title, "Covary, preset " + preset};
        for (std::string& cell : marked(rmse_columns)) rmse_row.push_back(std::move(cell));
        nll_rows.push_back(std::move(nll_row));
        rmse_rows.push_back(std::move(rmse_row));
        panels.push_back(std::move(nll));
        panels.push_back(std::move(rmse));
      }
    }
    outcome.say(fmt::format("## Test NLL {}", when.title));
    outcome.add_table(heading, nll_rows);
    outcome.say(fmt::format("## Test RMSE {}", when.title));
    outcome.add_table(heading, rmse_rows);
    outcome.add_figure(when.name, fmt::format("Test NLL and RMSE {}", when.title), panels, 2);
  }
  outcome.write(plan);
}

}  // namespace covary::paper
