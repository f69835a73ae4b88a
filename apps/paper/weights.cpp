// The paper's figure of the three distance weights over the iterations.
#include <array>

#include <fmt/format.h>

#include "experiments.h"
#include "outcome.h"
#include "search_runs.h"
#include "statistics.h"

namespace covary::paper {
namespace {

const std::array<const char*, 3> parts = {"base kernels", "paths", "subtrees"};

}  // namespace

void run_weights(const Plan& plan) {
  const std::vector<PaperData> sets = plan.sets_named({"airline", "airfoil"});
  const std::vector<SearchRuns> all = search_runs(plan, sets, {"sot"});
  Outcome outcome("weights", "Weights of the three distances over the iterations");
  outcome.say(
      "Medians (quartiles) over seeds of the weights that maximal marginal likelihood gives to the "
      "distances of base kernels, paths and subtrees; their sum is 1. The paper shows a figure: on "
      "Airline subtrees weigh most, on Airfoil base kernels.");
  std::vector<Cells> rows;
  std::vector<Panel> panels;
  for (const SearchRuns& runs : all) {
    Panel panel{runs.data.title + ", preset " + runs.preset, "iteration", "weight"};
    for (std::size_t p = 0; p < parts.size(); ++p) {
      Line line{parts[p], {}, {}, {}, {}, p};
      std::vector<double> over_all;
      for (std::size_t i = 1; i <= runs.num_iterations; ++i) {
        std::vector<double> values;
        for (const SearchRun& run : runs.runs) {
          const std::size_t place = runs.num_initial() + i - 1;
          if (place >= run.evaluations.size()) continue;
          const std::vector<double>& weights = run.evaluations[place].weights;
          if (weights.size() != parts.size()) continue;  // nothing to learn from yet
          values.push_back(weights[p]);
          outcome.add_record({{"data", runs.data.name},
                              {"preset", runs.preset},
                              {"seed", run.seed},
                              {"iteration", i},
                              {"part", parts[p]},
                              {"weight", weights[p]}});
        }
        if (values.empty()) continue;
        line.x.push_back(static_cast<double>(i));
        line.y.push_back(median(values));
        line.low.push_back(quantile(values, 0.25));
        line.high.push_back(quantile(values, 0.75));
        over_all.insert(over_all.end(), values.begin(), values.end());
      }
      if (line.y.empty()) continue;
      rows.push_back({runs.data.title + ", preset " + runs.preset, parts[p],
                      std::to_string(runs.runs.size()), shown(line.y.front(), 3),
                      fmt::format("{} ({} to {})", shown(line.y.back(), 3),
                                  shown(line.low.back(), 3), shown(line.high.back(), 3)),
                      shown(mean_of(over_all), 3)});
      panel.lines.push_back(std::move(line));
    }
    panels.push_back(std::move(panel));
  }
  outcome.add_table(
      {"search", "distance of", "seeds", "first iteration", "last iteration", "mean over all"},
      rows);
  outcome.add_figure("", "Weights of the distances over the iterations", panels);
  outcome.write(plan);
}

}  // namespace covary::paper
