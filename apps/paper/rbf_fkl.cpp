// The paper's last table: kernels that were searched for against one squared exponential (RBF) and
// functional kernel learning (FKL), which have no structure to choose.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>

#include <fmt/format.h>

#include "baselines/functional_kernel.h"
#include "baselines/rbf_model.h"
#include "experiments.h"
#include "outcome.h"
#include "pieces.h"
#include "search_runs.h"
#include "statistics.h"

namespace covary::paper {
namespace {

constexpr double significance = 0.05;
constexpr std::size_t num_splits = 10;  // that RBF is fitted to, to see what a split does
constexpr std::size_t quick_splits = 2;

struct PublishedSot {
  double mean;
  double sd;
};
struct Published {
  PublishedSot sot;
  double fkl;
  double rbf;
};

enum Figure : std::uint8_t { rmse, nll };
const std::array<const char*, 2> figure_titles = {"RMSE", "NLL"};

const std::map<std::string, std::array<Published, 2>>& published() {
  static const std::map<std::string, std::array<Published, 2>> table = {
      {"airline", {{{{0.1335, 0.079}, 0.3614, 0.3598}, {{-0.7069, 0.442}, 0.4712, 0.3978}}}},
      {"lgbb", {{{{0.0422, 0.011}, 0.1296, 0.0740}, {{-0.9762, 0.517}, 0.0200, -1.0913}}}},
      {"powerplant", {{{{0.2362, 0.004}, 0.2532, 0.2507}, {{-0.0693, 0.019}, 0.1755, 0.0419}}}},
      {"airfoil", {{{{0.3334, 0.017}, 0.4356, 0.4075}, {{0.0855, 0.081}, 0.6469, 0.2985}}}},
      {"concrete", {{{{0.2980, 0.008}, 0.3230, 0.3617}, {{0.2787, 0.044}, 4.2150, 0.2743}}}}};
  return table;
}

nlohmann::json to_json(const HoldoutFigures& figures) {
  return {{"rmse", figures.rmse_standardised}, {"nll", figures.nll_standardised}};
}

std::string settings_of(const Dataset& training, std::uint64_t split_seed) {
  return fmt::format("{} rows, data {}, split {}", training.num_rows(), training.fingerprint(),
                     split_seed);
}

Piece rbf_piece(const Plan& plan, const PaperData& data, const std::string& preset,
                std::uint64_t split_seed) {
  const TrainingAndTest split =
      split_as_in_paper(data, load(data, plan.data_folder), plan.rows_of(data), split_seed);
  RbfOptions options;
  if (preset == "paper") options.convention = Laplace::reference;
  if (plan.quick) options.restarts = 2;
  const auto compute = [split, options, &plan]() -> nlohmann::json {
    const auto fit = fit_rbf(split.training, options, plan.interrupted);
    if (!fit) return nullptr;
    return to_json(holdout_figures(fit->model.predict_rows(split.test), split.test));
  };
  return {fmt::format("rbf-fkl/{}/{}-rbf-split-{}", data.name, preset, split_seed),
          settings_of(split.training, split_seed), compute};
}

Piece fkl_piece(const Plan& plan, const PaperData& data) {
  const TrainingAndTest split = plan.split(data);
  FunctionalKernelOptions options;
  if (plan.quick) {
    options.num_rounds = 3;
    options.num_samples = 3;
  }
  const auto compute = [split, options, &plan]() -> nlohmann::json {
    const auto fit = FunctionalKernelModel::fit(split.training, options, plan.interrupted);
    if (!fit) return nullptr;
    return to_json(holdout_figures(fit->predict(raw_inputs(split.test)), split.test));
  };
  return {fmt::format("rbf-fkl/{}/fkl-split-{}", data.name, plan.split_seed),
          settings_of(split.training, plan.split_seed), compute};
}

using Values = std::array<std::vector<double>, 2>;  // by figure

void add(Values& values, const std::optional<nlohmann::json>& result) {
  if (!result || result->is_null()) return;
  values[rmse].push_back(result->at("rmse").get<double>());
  values[nll].push_back(result->at("nll").get<double>());
}

Values sot_values(const std::vector<SearchRuns>& all, const PaperData& data,
                  const std::string& preset, const TrainingAndTest& split) {
  Values values;
  const SearchRuns* runs = find_runs(all, data.name, preset, "sot");
  if (runs == nullptr) return values;
  for (const SearchRun& run : runs->runs) {
    const auto best = run.best_of_first(runs->num_evaluations);
    const auto tested = best ? test_figures(run.evaluations[*best], split) : std::nullopt;
    if (!tested) continue;
    values[rmse].push_back(tested->rmse_standardised);
    values[nll].push_back(tested->nll_standardised);
  }
  return values;
}

// The three cells of a figure. Bold: the smallest; SOT also if it is not significantly different.
Cells cells_of(const std::vector<double>& sot, const std::vector<double>& fkl,
               const std::vector<double>& rbf) {
  const double far = std::numeric_limits<double>::infinity();
  const double mean = sot.empty() ? far : mean_of(sot);
  const double point_fkl = fkl.empty() ? far : fkl.front();
  const double point_rbf = rbf.empty() ? far : rbf.front();
  const double best = std::min({mean, point_fkl, point_rbf});
  std::string sot_text =
      sot.empty() ? "–" : fmt::format("{} ({})", shown(mean), shown(sample_sd(sot), 3));
  const bool is_good = sot.size() > 1 && t_test(sot, best) > significance;
  if (!sot.empty() && (mean == best || is_good)) sot_text = bold(sot_text);
  const auto point_text = [&](double point) {
    return point == best ? bold(shown(point)) : shown(point);
  };
  return {sot_text, point_text(point_fkl), point_text(point_rbf)};
}

Cells published_cells(const PaperData& data, Figure figure) {
  const Published& p = published().at(data.name).at(figure);
  return {fmt::format("{} ({})", shown(p.sot.mean), shown(p.sot.sd, 3)), shown(p.fkl),
          shown(p.rbf)};
}

}  // namespace

void run_rbf_fkl(const Plan& plan) {
  std::vector<std::string> methods = {"sot"};
  if (std::find(plan.methods.begin(), plan.methods.end(), "sot") == plan.methods.end()) {
    methods.clear();  // RBF and FKL alone are asked for, of another split, say
  }
  const std::vector<SearchRuns> all = search_runs(plan, plan.sets, methods);
  Outcome outcome("rbf-fkl", "Against RBF and functional kernel learning");
  outcome.say(
      "RMSE and NLL on held-out rows, target standardised, after all evaluations of the search: "
      "means (standard deviations) over seeds for SOT; RBF (one squared exponential with a "
      "lengthscale per input) and FKL have one value for a split. Bold: the best, and SOT where a "
      "t-test at 0.05 does not tell it from the best.");
  std::vector<Cells> rows;
  std::vector<Cells> split_rows;
  std::vector<Panel> panels;
  for (const PaperData& data : plan.sets) {
    const TrainingAndTest split = plan.split(data);
    Values fkl;
    add(fkl, results_of(plan, "FKL on " + data.title, {fkl_piece(plan, data)}).front());
    Cells published_row = {data.title, "published"};
    for (const Figure figure : {rmse, nll}) {
      for (std::string& cell : published_cells(data, figure)) {
        published_row.push_back(std::move(cell));
      }
    }
    rows.push_back(std::move(published_row));
    for (const std::string& preset : plan.presets) {
      std::vector<Piece> pieces;
      for (std::size_t i = 0; i < (plan.quick ? quick_splits : num_splits); ++i) {
        pieces.push_back(rbf_piece(plan, data, preset, plan.split_seed + i));
      }
      Values rbf;  // the first is of the plan's split
      for (const auto& result : results_of(plan, "RBF on " + data.title, pieces)) add(rbf, result);
      const Values sot = sot_values(all, data, preset, split);
      Cells row = {data.title, "Covary, preset " + preset};
      for (const Figure figure : {rmse, nll}) {
        for (std::string& cell : cells_of(sot[figure], fkl[figure], rbf[figure])) {
          row.push_back(std::move(cell));
        }
        Panel panel{data.title + ", preset " + preset, "",
                    std::string("test ") + figure_titles.at(figure)};
        panel.boxes = {
            {"SOT", sot[figure], 0},
            {"FKL", fkl[figure], 1},
            {"RBF", {rbf[figure].begin(), rbf[figure].begin() + (rbf[figure].empty() ? 0 : 1)}, 2},
            {"RBF, all splits", rbf[figure], 2}};
        panels.push_back(std::move(panel));
        const auto record = [&](const char* model, const std::vector<double>& values) {
          for (std::size_t i = 0; i < values.size(); ++i) {
            outcome.add_record({{"data", data.name},
                                {"preset", preset},
                                {"model", model},
                                {"figure", figure_titles.at(figure)},
                                {"number", i + 1},
                                {"value", values[i]}});
          }
        };
        record("SOT", sot[figure]);
        record("FKL", fkl[figure]);
        record("RBF", rbf[figure]);
      }
      rows.push_back(std::move(row));
      if (rbf[rmse].empty()) continue;
      Cells split_row = {data.title, preset, std::to_string(rbf[rmse].size())};
      for (const Figure figure : {rmse, nll}) {
        const auto [low, high] = std::minmax_element(rbf[figure].begin(), rbf[figure].end());
        split_row.push_back(shown(published().at(data.name).at(figure).rbf));
        split_row.push_back(fmt::format("{} ({}), {} to {}", shown(mean_of(rbf[figure])),
                                        shown(sample_sd(rbf[figure]), 3), shown(*low),
                                        shown(*high)));
      }
      split_rows.push_back(std::move(split_row));
    }
  }
  outcome.add_table({"data", "", "RMSE: SOT", "FKL", "RBF", "NLL: SOT", "FKL", "RBF"}, rows);
  outcome.say(
      "## What the split does\n\nThe paper has one split into training and test rows, which is "
      "not published. RBF on several splits: mean (standard deviation), and from the smallest to "
      "the largest.");
  outcome.add_table({"data", "preset", "splits", "RMSE published", "RMSE", "NLL published", "NLL"},
                    split_rows);
  outcome.add_figure("", "RMSE and NLL against RBF and FKL", panels, 2);
  outcome.write(plan);
}

}  // namespace covary::paper
