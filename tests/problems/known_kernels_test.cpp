// Does the search find what is there? Data are drawn from processes whose kernels are known, so
// that there is a value to reach: the evidence of the kernel that the data came from, at its own
// best parameters, with its probability before data are seen where the search counts that.
// docs/search_quality.md keeps the table that this prints.
#include <cmath>
#include <cstdint>
#include <ctime>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <covary/dataset.h>
#include <covary/evidence.h>
#include <covary/expression.h>
#include <covary/model.h>
#include <covary/random.h>
#include <covary/search.h>
#include <covary/table.h>

#include "covariance/compiled_kernel.h"
#include "gp/gaussian_draws.h"
#include "grammar/structure_prior.h"
#include "linalg/matrix.h"
#include "search/first_sentences.h"

namespace covary {
namespace {

using Numbers = std::vector<double>;

constexpr std::size_t num_rows = 100;
constexpr std::size_t num_test_rows = 200;
constexpr double noise_sd = 0.1;
// Seeds 1 to 5 were looked at while it was decided how the search proposes; these were not.
constexpr std::uint64_t first_seed = 6;
constexpr std::uint64_t num_seeds = 5;
constexpr std::size_t true_restarts = 60;  // three times the search's: the value to reach
constexpr double tolerance_per_row = 1e-3;

// A process to draw from: a kernel with moderate parameters for inputs in [0, 1].
struct KnownKernel {
  std::string kernel;
  std::size_t num_inputs;
  Numbers parameters;  // in the kernel's order, an operator's before its operands'
  std::string operators = "+,*";
};

const std::vector<KnownKernel>& known_kernels() {
  static const std::vector<KnownKernel> kernels = {
      {"SE", 1, {0.15, 1.0}},
      {"LIN + PER", 1, {4.0, 0.5, 0.7, 1.0, 0.2}},
      {"SE*PER", 1, {0.5, 1.0, 0.7, 1.0, 0.15}},
      {"SE_1*SE_2 + LIN_1", 2, {0.3, 1.0, 0.4, 1.0, 4.0, 0.5}},
      {"SE_1 + PER_2", 2, {0.3, 1.0, 0.7, 1.0, 0.4}},
      {"CP(SE, LIN)", 1, {0.5, 0.03, 0.1, 1.0, 4.0, 0.5}, "+,*,CP"},
  };
  return kernels;
}

// Rows in raw units, as a file would have them.
struct Rows {
  std::vector<Numbers> inputs;
  Numbers target;
};

// One draw of the process at uniform places, with noise: rows to learn from, then rows to predict.
struct Draw {
  Rows training;
  Rows test;
};

Draw draw_from(const KnownKernel& known, std::uint64_t seed) {
  Random random(seed);
  const std::size_t total = num_rows + num_test_rows;
  std::vector<Numbers> inputs(known.num_inputs, Numbers(total));
  for (Numbers& column : inputs) {
    for (double& x : column) x = random.uniform();
  }
  const CompiledKernel kernel(
      parse_expression(known.kernel, InputNames::unnamed(known.num_inputs)));
  Matrix covariance(total, total);
  kernel.gram(known.parameters, InputColumns(inputs.begin(), inputs.end()), covariance);
  const Matrix drawn = sample_gaussian(Numbers(total, 0.0), covariance, 1, random);

  Draw draw;
  draw.training.inputs.resize(known.num_inputs);
  draw.test.inputs.resize(known.num_inputs);
  for (std::size_t i = 0; i < total; ++i) {
    Rows& rows = i < num_rows ? draw.training : draw.test;
    for (std::size_t c = 0; c < inputs.size(); ++c) rows.inputs[c].push_back(inputs[c][i]);
    rows.target.push_back(drawn(i, 0) + noise_sd * random.normal());
  }
  return draw;
}

Dataset dataset_of(const Rows& rows) {
  Table table;
  table.source = "simulated";
  table.num_rows = rows.target.size();
  table.line_steps = {{}};
  const auto add = [&](const std::string& name, const Numbers& values) {
    Column& column = table.columns.emplace_back();
    column.name = name;
    column.values = values;
  };
  for (std::size_t c = 0; c < rows.inputs.size(); ++c) {
    add(fmt::format("x{}", c + 1), rows.inputs[c]);
  }
  add("y", rows.target);
  return make_dataset(table, {.target = "y"});
}

// Mean log predictive density of rows that the model has not seen, in units of the drawn process.
double test_log_density(const FittedModel& model, const Rows& test) {
  const Prediction prediction = model.predict(test.inputs);
  double sum = 0.0;
  for (std::size_t i = 0; i < test.target.size(); ++i) {
    const double z = (test.target[i] - prediction.mean[i]) / prediction.sd[i];
    sum -= 0.5 * (z * z + std::log(2.0 * std::numbers::pi)) + std::log(prediction.sd[i]);
  }
  return sum / static_cast<double>(test.target.size());
}

struct Outcome {
  double true_value = 0.0;   // per row
  double found_value = 0.0;  // per row
  std::string found_kernel;
  bool is_reached = false;
  std::optional<std::size_t> evaluations;  // until it was, if before the finalists' last fit
  bool is_repaired = false;                // the Hessian behind the found value
  double true_density = 0.0;
  double found_density = 0.0;
  double cpu_seconds = 0.0;  // of the search
};

// As a search of one input has it.
double log_structure_prior(const Expression& kernel, const Dataset& data,
                           const SearchSpaceOptions& options) {
  if (data.num_inputs() > 1) return 0.0;
  const SearchSpace space = make_search_space(options, inputs_of(data));
  FirstSentences first = first_sentences(space);
  return StructurePrior(space, std::move(first.usual), std::move(first.rare))
      .log_probability(kernel);
}

Outcome outcome_of(const KnownKernel& known, std::uint64_t seed) {
  const Draw draw = draw_from(known, seed);
  const Dataset data = dataset_of(draw.training);
  const auto n = static_cast<double>(num_rows);

  EvidenceOptions careful;
  careful.restarts = true_restarts;
  careful.threads = 2;
  const Expression true_kernel = parse_expression(known.kernel, InputNames(data.input_names()));
  const Evidence of_truth = make_oracle(data, careful)->evaluate(true_kernel);

  SearchOptions options;
  options.space.space = "paper-small";
  options.space.operators = known.operators;
  options.seed = seed;
  options.threads = 2;
  const std::clock_t start = std::clock();
  const SearchResult found = search(data, options);
  const std::clock_t end = std::clock();

  Outcome outcome;
  outcome.cpu_seconds = static_cast<double>(end - start) / CLOCKS_PER_SEC;
  outcome.true_value =
      (of_truth.value.value() + log_structure_prior(true_kernel, data, options.space)) / n;
  outcome.found_value = found.value_per_row;
  outcome.found_kernel = to_string(found.model.kernel());
  outcome.is_repaired = found.finalists.front().evidence.hessian_repaired;
  const double goal = outcome.true_value - tolerance_per_row;
  outcome.is_reached = outcome.found_value >= goal;
  for (const SearchRecord& record : found.history) {
    if (record.evidence.value.value_or(-1e300) / n < goal) continue;
    outcome.evaluations = record.index + 1;
    break;
  }
  outcome.true_density =
      test_log_density(FittedModel(true_kernel, of_truth.parameters, data), draw.test);
  outcome.found_density = test_log_density(found.model, draw.test);
  return outcome;
}

void print_line(const KnownKernel& known, std::uint64_t seed, const Outcome& outcome) {
  std::string evaluations = "never";
  if (outcome.is_reached) evaluations = "finalist";
  if (outcome.evaluations) evaluations = fmt::format("{}", *outcome.evaluations);
  fmt::print("| {} | {} | {:.4f} | {:.4f} | {}{} | {} | {:+.3f} | {:+.3f} | {:.1f} |\n",
             known.kernel, seed, outcome.true_value, outcome.found_value, outcome.found_kernel,
             outcome.is_repaired ? " (repaired)" : "", evaluations, outcome.true_density,
             outcome.found_density, outcome.cpu_seconds);
  std::fflush(stdout);
}

TEST(KnownKernels, TheSearchReachesTheEvidenceOfTheTrueKernel) {
  fmt::print(
      "| true kernel | seed | its evidence | found | found kernel | evaluations | test, true "
      "| test, found | CPU s |\n|---|---:|---:|---:|---|---:|---:|---:|---:|\n");
  std::size_t num_runs = 0;
  std::size_t num_reached = 0;
  double lost_density = 0.0;
  for (const KnownKernel& known : known_kernels()) {
    for (std::uint64_t seed = first_seed; seed < first_seed + num_seeds; ++seed) {
      const Outcome outcome = outcome_of(known, seed);
      print_line(known, seed, outcome);
      ++num_runs;
      num_reached += outcome.is_reached ? 1U : 0U;
      lost_density += outcome.true_density - outcome.found_density;
    }
  }
  fmt::print("reached in {} of {} runs; mean test log density lost: {:.4f} a row\n", num_reached,
             num_runs, lost_density / static_cast<double>(num_runs));
  EXPECT_GE(10 * num_reached, 9 * num_runs);
}

}  // namespace
}  // namespace covary
