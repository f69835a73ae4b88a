// The paper's table of acquisition to oracle time.
#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "experiments.h"
#include "outcome.h"
#include "search_runs.h"
#include "statistics.h"

namespace covary::paper {
namespace {

const std::vector<std::string> methods = {"hellinger", "sot"};

const std::map<std::string, std::array<double, 2>>& published() {
  static const std::map<std::string, std::array<double, 2>> ratios = {
      {"airfoil", {18.77, 0.25}},
      {"airline", {54.21, 0.825}},
      {"lgbb", {42.63, 0.52}},
      {"powerplant", {16.51, 0.278}},
      {"concrete", {16.81, 0.213}}};
  return ratios;
}

// Over the iterations: the initial set is not proposed.
std::array<double, 2> seconds_of(const SearchRuns& runs, const SearchRun& run) {
  std::array<double, 2> seconds = {0.0, 0.0};
  for (std::size_t i = run.num_initial; i < std::min(run.evaluations.size(), runs.num_evaluations);
       ++i) {
    seconds[0] += run.evaluations[i].acquisition_seconds;
    seconds[1] += run.evaluations[i].oracle_seconds;
  }
  return seconds;
}

}  // namespace

void run_time_ratio(const Plan& plan) {
  const std::vector<SearchRuns> all = search_runs(plan, plan.sets, {"sot", "hellinger"});
  Outcome outcome("time-ratio", "CPU time of the acquisition over that of the oracle");
  outcome.say(
      "Means over seeds of the CPU time spent on choosing kernels (fitting the surrogate, and "
      "maximising expected improvement), divided by that spent on evaluating them; and both times "
      "for one iteration. The published ratios are of programs in Python.");
  std::vector<Cells> rows;
  for (const PaperData& data : plan.sets) {
    rows.push_back({data.title, "published", shown(published().at(data.name)[0], 2), "",
                    shown(published().at(data.name)[1], 3), "", ""});
    for (const std::string& preset : plan.presets) {
      Cells row = {data.title, "Covary, preset " + preset};
      std::vector<double> oracle;
      for (const std::string& method : methods) {
        const SearchRuns* runs = find_runs(all, data.name, preset, method);
        std::vector<double> ratios;
        std::vector<double> acquisition;
        if (runs != nullptr) {
          for (const SearchRun& run : runs->runs) {
            const auto [acquiring, evaluating] = seconds_of(*runs, run);
            const auto iterations = static_cast<double>(runs->num_iterations);
            ratios.push_back(acquiring / evaluating);
            acquisition.push_back(1e3 * acquiring / iterations);
            oracle.push_back(1e3 * evaluating / iterations);
            outcome.add_record({{"data", data.name},
                                {"preset", preset},
                                {"method", method},
                                {"seed", run.seed},
                                {"acquisition_seconds", acquiring},
                                {"oracle_seconds", evaluating},
                                {"ratio", ratios.back()}});
          }
        }
        row.push_back(ratios.empty() ? "–" : shown(mean_of(ratios)));
        row.push_back(ratios.empty() ? "–" : shown(mean_of(acquisition), 1));
      }
      if (oracle.empty()) continue;
      row.push_back(shown(mean_of(oracle), 1));
      rows.push_back(std::move(row));
    }
  }
  outcome.add_table({"data", "", "Hellinger", "ms", "SOT", "ms", "oracle ms"}, rows);
  std::vector<Panel> panels;
  for (const std::string& preset : plan.presets) {
    Panel panel{"Preset " + preset, "", "acquisition / oracle"};
    panel.is_log_y = true;
    for (const PaperData& data : plan.sets) {
      for (std::size_t m = 0; m < methods.size(); ++m) {
        const SearchRuns* runs = find_runs(all, data.name, preset, methods[m]);
        if (runs == nullptr) continue;
        Box box{data.title.substr(0, 5) + " " + title_of_method(methods[m]).substr(0, 1), {}, m};
        for (const SearchRun& run : runs->runs) {
          const auto [acquiring, evaluating] = seconds_of(*runs, run);
          box.values.push_back(acquiring / evaluating);
        }
        panel.boxes.push_back(std::move(box));
      }
    }
    if (!panel.boxes.empty()) panels.push_back(std::move(panel));
  }
  outcome.add_figure("", "Acquisition to oracle time: Hellinger (H) and SOT (S)", panels);
  outcome.write(plan);
}

}  // namespace covary::paper
