// The paper's section E on simulated data: learning curves against the kernel that the data came
// from, and whether choosing among ever more kernels overfits ("type-3 maximum likelihood").
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

#include <fmt/format.h>

#include "base/hash.h"
#include "covariance/compiled_kernel.h"
#include "experiments.h"
#include "linalg/cholesky.h"
#include "outcome.h"
#include "pieces.h"
#include "search_runs.h"
#include "statistics.h"

namespace covary::paper {
namespace {

constexpr double noise_variance = 0.01;  // as in the paper
constexpr std::size_t num_test_rows = 400;
constexpr std::size_t quick_rows = 40;

struct Problem {
  std::string name;
  std::string kernel;
  std::size_t num_inputs;
  std::size_t num_rows;
  std::vector<double> parameters;
};

// Two structured kernels, and the paper's RBF with few and with more rows of the same data.
const std::vector<Problem>& problems() {
  static const std::vector<Problem> list = {
      {"lin-per-100", "LIN + PER", 1, 100, {4.0, 0.5, 0.7, 1.0, 0.2}},
      {"se-per-100", "SE*PER", 1, 100, {0.5, 1.0, 0.7, 1.0, 0.15}},
      {"rbf-100", "SE_1*SE_2", 2, 100, {0.3, 1.0, 0.4, 1.0}},
      {"rbf-300", "SE_1*SE_2", 2, 300, {0.3, 1.0, 0.4, 1.0}},
  };
  return list;
}

const std::array<Criterion, 4> criteria = {Criterion::evidence, Criterion::evidence_bic,
                                           Criterion::bic, Criterion::cv};

std::size_t rows_of(const Plan& plan, const Problem& problem) {
  return plan.quick ? std::min(problem.num_rows, quick_rows) : problem.num_rows;
}

// Cross-validation fits ten times as often; with 300 rows that is hours a search.
bool is_affordable(const Problem& problem, Criterion criterion) {
  constexpr std::size_t most_rows = 100;
  return criterion != Criterion::cv || problem.num_rows <= most_rows;
}

// A draw of the process at uniform inputs, the same for all numbers of rows: the first rows are for
// training, the last ones for testing.
TrainingAndTest simulate(const Plan& plan, const Problem& problem, std::uint64_t seed) {
  constexpr std::size_t most_rows = 300;
  const std::size_t num_all = most_rows + num_test_rows;
  Random random(combine64(seed, 3));
  std::vector<std::vector<double>> inputs(problem.num_inputs);
  for (std::vector<double>& column : inputs) {
    for (std::size_t i = 0; i < num_all; ++i) column.push_back(random.uniform());
  }
  const Expression kernel =
      parse_expression(problem.kernel, InputNames::unnamed(problem.num_inputs));
  const CompiledKernel compiled(kernel);
  const InputColumns columns(inputs.begin(), inputs.end());
  Matrix factor(num_all, num_all);
  const CholeskyOutcome outcome = cholesky(factor, [&](Matrix& matrix) {
    compiled.gram(problem.parameters, columns, matrix);
    for (std::size_t i = 0; i < num_all; ++i) matrix(i, i) += noise_variance;
  });
  if (!outcome.succeeded) {
    throw Error(ErrorKind::bad_data, "the covariance of simulated data cannot be factored");
  }
  std::vector<double> target(num_all, 0.0);
  std::vector<double> white(num_all);
  for (double& value : white) value = random.normal();
  for (std::size_t j = 0; j < num_all; ++j) {
    for (std::size_t i = j; i < num_all; ++i) target[i] += factor(i, j) * white[j];
  }
  Fingerprint fingerprint;
  std::vector<Scaling> scalings;
  for (std::size_t c = 0; c < inputs.size(); ++c) {
    scalings.push_back({fmt::format("x{}", c + 1)});
    for (const double value : inputs[c]) fingerprint.add(value);
  }
  for (const double value : target) fingerprint.add(value);
  const Dataset whole(std::move(inputs), std::move(target), std::move(scalings), {"y"},
                      fingerprint.digits(), {});
  std::vector<std::size_t> rows(num_all);
  std::iota(rows.begin(), rows.end(), 0U);
  const std::span<const std::size_t> all(rows);
  return {whole.rows(all.first(rows_of(plan, problem))), whole.rows(all.last(num_test_rows))};
}

// What the kernel that the data came from reaches, its parameters fitted like the others'.
Evaluated true_kernel(const Plan& plan, const Problem& problem, const SearchOptions& options,
                      const TrainingAndTest& data, std::uint64_t seed) {
  EvidenceOptions evidence = options.evidence;
  evidence.seed = seed;
  const auto oracle = make_oracle(data.training, evidence, plan.interrupted);
  const InputNames inputs = inputs_of(data.training);
  const Expression kernel =
      parse_expression(problem.kernel, InputNames::unnamed(problem.num_inputs));
  std::vector<double> known = problem.parameters;
  known.push_back(noise_variance);
  const Evidence result = oracle->evaluate(kernel, {{kernel, known}});
  Evaluated evaluated;
  evaluated.kernel = to_string(kernel, inputs);
  evaluated.parameters = result.parameters;
  if (result.value) {
    evaluated.value_per_row = *result.value / static_cast<double>(data.training.num_rows());
  }
  return evaluated;
}

// The figures of one search, by iteration: the criterion, and how the best kernel predicts.
struct Curve {
  std::vector<double> value;
  std::vector<double> nll;
  std::vector<double> rmse;
  double true_value = 0.0;
  double true_nll = 0.0;
  double true_rmse = 0.0;
};

std::optional<Curve> curve_of(const Plan& plan, const Problem& problem, const SearchRuns& runs,
                              const SearchRun& run, const SearchOptions& options) {
  const TrainingAndTest data = simulate(plan, problem, run.seed);
  const Evaluated truth = true_kernel(plan, problem, options, data, run.seed);
  const auto truth_tested = test_figures(truth, data);
  if (!truth.value_per_row || !truth_tested) return std::nullopt;
  Curve curve;
  curve.true_value = *truth.value_per_row;
  curve.true_nll = truth_tested->nll_standardised;
  curve.true_rmse = truth_tested->rmse_standardised;
  std::map<std::size_t, HoldoutFigures> known;  // by evaluation
  for (std::size_t i = 0; i <= runs.num_iterations; ++i) {
    const auto best = run.best_of_first(runs.num_initial() + i);
    if (!best) return std::nullopt;
    if (!known.contains(*best)) {
      const auto tested = test_figures(run.evaluations[*best], data);
      if (!tested) return std::nullopt;
      known.emplace(*best, *tested);
    }
    curve.value.push_back(*run.evaluations[*best].value_per_row);
    curve.nll.push_back(known.at(*best).nll_standardised);
    curve.rmse.push_back(known.at(*best).rmse_standardised);
  }
  return curve;
}

Line line_of(const std::vector<Curve>& curves, std::vector<double> Curve::*figures,
             double Curve::*minus, const std::string& name, std::size_t colour) {
  Line line{name, {}, {}, {}, {}, colour};
  for (std::size_t i = 0; i < curves.front().value.size(); ++i) {
    std::vector<double> values;
    values.reserve(curves.size());
    for (const Curve& curve : curves) values.push_back((curve.*figures)[i] - curve.*minus);
    line.x.push_back(static_cast<double>(i));
    line.y.push_back(median(values));
    line.low.push_back(quantile(values, 0.25));
    line.high.push_back(quantile(values, 0.75));
  }
  return line;
}

double median_excess(const std::vector<Curve>& curves, std::vector<double> Curve::*figures,
                     double Curve::*minus, std::size_t iteration) {
  std::vector<double> values;
  values.reserve(curves.size());
  for (const Curve& curve : curves) {
    const std::size_t last = curve.value.size() - 1;
    values.push_back((curve.*figures)[std::min(iteration, last)] - curve.*minus);
  }
  return median(values);
}

// In how many searches the NLL on test rows has risen since iteration 10, by more than 0.01.
std::size_t num_risen(const std::vector<Curve>& curves) {
  const std::size_t from = 10;
  constexpr double noticeable = 0.01;
  return static_cast<std::size_t>(
      std::count_if(curves.begin(), curves.end(), [from](const Curve& c) {
        return c.nll.back() > c.nll[std::min(from, c.nll.size() - 1)] + noticeable;
      }));
}

}  // namespace

void run_simulated(const Plan& plan) {
  Outcome outcome("simulated", "Simulated data: learning curves and type-3 overfitting");
  outcome.say(
      "Data drawn from a known kernel with noise variance 0.01, another draw for each seed; 400 "
      "test rows. All figures are the best kernel's less those of the true kernel with fitted "
      "parameters, medians over seeds: the criterion per row (above 0: it prefers another kernel "
      "to the true one) and the test NLL (above 0: that kernel predicts worse). The last column "
      "counts searches whose test NLL rose by more than 0.01 from iteration 10 to the end.");
  std::vector<Cells> rows;
  std::vector<Panel> values;
  std::vector<Panel> tests;
  for (const Problem& problem : problems()) {
    const std::string title = fmt::format("{}, n = {}", problem.kernel, rows_of(plan, problem));
    Panel value_panel{title, "iteration", "criterion per row, less the true kernel's"};
    Panel nll_panel{title, "iteration", "test NLL, less the true kernel's"};
    for (std::size_t c = 0; c < criteria.size(); ++c) {
      if (!is_affordable(problem, criteria[c])) continue;
      const std::string criterion(to_string(criteria[c]));
      const PaperData data{
          "simulated-" + problem.name, title, "", "y", "paper-small", problem.num_rows};
      SearchVariant variant{"default-" + criterion, options_of(plan, data, "default", "sot")};
      variant.options.evidence.criterion = criteria[c];
      const SearchRuns runs = variant_runs(plan, data, variant, [&](std::uint64_t seed) {
        return simulate(plan, problem, seed).training;
      });
      std::vector<Curve> curves;
      for (const SearchRun& run : runs.runs) {
        const auto curve = curve_of(plan, problem, runs, run, variant.options);
        if (!curve) continue;
        curves.push_back(*curve);
        for (std::size_t i = 0; i < curve->value.size(); ++i) {
          outcome.add_record({{"problem", problem.name},
                              {"criterion", criterion},
                              {"seed", run.seed},
                              {"iteration", i},
                              {"value_per_row", curve->value[i]},
                              {"nll", curve->nll[i]},
                              {"rmse", curve->rmse[i]},
                              {"true_value_per_row", curve->true_value},
                              {"true_nll", curve->true_nll},
                              {"true_rmse", curve->true_rmse}});
        }
      }
      if (curves.empty()) continue;
      constexpr std::size_t last = 1000;
      const auto nll_after = [&](std::size_t iteration) {
        return shown(median_excess(curves, &Curve::nll, &Curve::true_nll, iteration));
      };
      rows.push_back({title, criterion, std::to_string(curves.size()),
                      shown(median_excess(curves, &Curve::value, &Curve::true_value, last)),
                      nll_after(10), nll_after(30), nll_after(last),
                      shown(median_excess(curves, &Curve::rmse, &Curve::true_rmse, last)),
                      fmt::format("{} of {}", num_risen(curves), curves.size())});
      value_panel.lines.push_back(line_of(curves, &Curve::value, &Curve::true_value, criterion, c));
      nll_panel.lines.push_back(line_of(curves, &Curve::nll, &Curve::true_nll, criterion, c));
    }
    values.push_back(std::move(value_panel));
    tests.push_back(std::move(nll_panel));
  }
  outcome.add_table({"true kernel", "criterion", "seeds", "criterion", "NLL at 10", "NLL at 30",
                     "NLL at the end", "RMSE at the end", "NLL risen"},
                    rows);
  outcome.add_figure("criterion", "The criterion of the best kernel over the iterations", values);
  outcome.add_figure("test", "Test NLL of the best kernel over the iterations", tests);
  outcome.write(plan);
}

}  // namespace covary::paper
