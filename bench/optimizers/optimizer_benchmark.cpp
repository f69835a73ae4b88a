// Our optimisers against those of libraries, on the log posteriors of random kernels, all from the
// same starts (3 informed by the data, 2 drawn from the priors, per kernel), with the same rule to
// stop: two steps in a row that gain less than 1e-7 nats, or 1000 steps.
//   optimizer_benchmark [--data FOLDER] [--kernels N] [--seed S]
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <covary/covary.h>

#include "base/parallel.h"
#include "evidence/log_posterior.h"
#include "evidence/start_values.h"
#include "optim/maximize.h"
#include "optimizers.h"
#include "random_kernel.h"

namespace covary {
namespace {

constexpr std::size_t num_informed_starts = 3;
constexpr std::size_t num_prior_starts = 2;
constexpr double same_optimum = 1e-3;  // nats

template <MaximizeSummary (*own)(Objective&, std::span<const double>, const MaximizeOptions&)>
void maximize_with_own(WatchedObjective& objective, const std::vector<double>& start,
                       const Limits& limits) {
  MaximizeOptions options;
  options.max_iterations = limits.max_iterations;
  options.tolerance = limits.tolerance;
  own(objective, start, options);
}

constexpr std::array optimizers = {
    Optimizer{"`maximize` (damped Newton)", maximize_with_own<maximize>},
    Optimizer{"`maximize_lbfgs`", maximize_with_own<maximize_lbfgs>},
    Optimizer{"`maximize_to_the_end`", maximize_with_own<maximize_to_the_end>},
    Optimizer{"Ceres, L-BFGS", maximize_with_ceres},
    Optimizer{"Ceres, L-BFGS, scaled", maximize_with_scaled_ceres},
    Optimizer{"NLopt, LD_LBFGS", maximize_with_nlopt},
    Optimizer{"libLBFGS", maximize_with_liblbfgs},
    Optimizer{"dlib, L-BFGS", maximize_with_dlib},
    Optimizer{"dlib, trust region, average information", maximize_with_dlib_trust_region},
};

struct Totals {
  double cpu_seconds = 0.0;
  std::size_t num_values = 0;
  std::size_t num_gradients = 0;
  std::size_t num_without_value = 0;
  std::size_t num_stopped_short = 0;
  std::vector<double> found = {};  // the log posterior, one per start
};

// Whether there is more to gain from here, by either of two ways and to a tighter tolerance.
bool is_short_of_optimum(LogPosterior& posterior, const WatchedObjective& end) {
  MaximizeOptions options;
  options.max_iterations = 1000;
  options.tolerance = 1e-10;
  const double by_newton = maximize(posterior, end.best_place(), options).value;
  const double by_lbfgs = maximize_lbfgs(posterior, end.best_place(), options).value;
  return std::max(by_newton, by_lbfgs) > end.best_value() + same_optimum;
}

void follow(const Optimizer& optimizer, LogPosterior& posterior, const std::vector<double>& start,
            Totals& totals) {
  WatchedObjective objective(posterior);
  const std::size_t values_before = posterior.num_values();
  const std::size_t gradients_before = posterior.num_gradients();
  const double seconds_before = thread_cpu_seconds();
  optimizer.maximize(objective, start, {});
  totals.cpu_seconds += thread_cpu_seconds() - seconds_before;
  totals.num_values += posterior.num_values() - values_before;
  totals.num_gradients += posterior.num_gradients() - gradients_before;
  totals.num_without_value += objective.num_without_value();
  totals.found.push_back(objective.best_value());
  if (is_short_of_optimum(posterior, objective)) ++totals.num_stopped_short;
}

std::vector<std::vector<double>> starts_of(LogPosterior& posterior, const DataHints& hints,
                                           Random& random) {
  std::vector<std::vector<double>> starts;
  while (starts.size() < num_informed_starts + num_prior_starts) {
    std::vector<double> start = starts.size() < num_informed_starts
                                    ? start_from_hints(posterior.space(), hints, random)
                                    : start_from_priors(posterior.space(), random);
    if (std::isfinite(posterior.value(start))) starts.push_back(std::move(start));
  }
  return starts;
}

void print_table(const std::vector<Totals>& all_totals) {
  const std::size_t num_starts = all_totals.front().found.size();
  const auto count = static_cast<double>(num_starts);
  std::vector<double> best = all_totals.front().found;
  for (const Totals& totals : all_totals) {
    for (std::size_t i = 0; i < num_starts; ++i) best[i] = std::max(best[i], totals.found[i]);
  }
  fmt::print(
      "| optimiser | CPU ms | values | gradients | mean gap (nats) | within 0.001 | stopped "
      "short |\n|---|---:|---:|---:|---:|---:|---:|\n");
  for (std::size_t o = 0; o < optimizers.size(); ++o) {
    const Totals& totals = all_totals[o];
    double sum = 0.0;
    double sum_of_squares = 0.0;
    double num_within = 0.0;
    for (std::size_t i = 0; i < num_starts; ++i) {
      const double gap = best[i] - totals.found[i];
      sum += gap;
      sum_of_squares += gap * gap;
      num_within += gap < same_optimum ? 1.0 : 0.0;
    }
    const double mean = sum / count;
    const double error = std::sqrt(std::max(sum_of_squares / count - mean * mean, 0.0) / count);
    fmt::print("| {} | {:.1f} | {:.0f} | {:.0f} | {:.2f} ± {:.2f} | {:.2f} | {:.2f} |\n",
               optimizers[o].name, 1e3 * totals.cpu_seconds / count,
               static_cast<double>(totals.num_values) / count,
               static_cast<double>(totals.num_gradients) / count, mean, error, num_within / count,
               static_cast<double>(totals.num_stopped_short) / count);
  }
  fmt::print("\n");
  for (std::size_t o = 0; o < optimizers.size(); ++o) {
    if (all_totals[o].num_without_value == 0) continue;
    fmt::print("{} asked for {} places without a value.\n", optimizers[o].name,
               all_totals[o].num_without_value);
  }
}

struct Problem {
  std::string path;
  std::string target;
  std::string space;
  std::size_t rows;
};

void compare(const Problem& problem, std::size_t num_kernels, std::uint64_t seed) {
  const Dataset data = split_rows(make_dataset(read_csv(problem.path), {.target = problem.target}),
                                  {.rows = problem.rows, .seed = seed})
                           .training;
  const Grammar grammar(make_search_space({.space = problem.space}, inputs_of(data)));
  InputColumns inputs;
  for (std::size_t i = 0; i < data.num_inputs(); ++i) inputs.push_back(data.input(i));
  const DataHints hints = data_hints(inputs, data.target(), inputs_of(data));
  Random random(seed);
  std::vector<Totals> all_totals(optimizers.size());
  for (std::size_t k = 0; k < num_kernels; ++k) {
    LogPosterior posterior(random_kernel(grammar, random), {inputs, data.target()},
                           Laplace::consistent);
    for (const std::vector<double>& start : starts_of(posterior, hints, random)) {
      for (std::size_t o = 0; o < optimizers.size(); ++o) {
        follow(optimizers[o], posterior, start, all_totals[o]);
      }
    }
  }
  fmt::print(
      "{} of {}, {} rows, {} starts for each of {} kernels of 1 to 8 base kernels, {}, "
      "seed {}; means over the starts\n\n",
      problem.target, problem.path.substr(problem.path.rfind('/') + 1), data.num_rows(),
      num_informed_starts + num_prior_starts, num_kernels, problem.space, seed);
  print_table(all_totals);
}

int run(const std::vector<std::string>& arguments) {
  std::optional<std::string> folder;
  std::size_t num_kernels = 12;
  std::uint64_t seed = 1;
  for (std::size_t i = 0; i < arguments.size(); i += 2) {
    const bool has_value = i + 1 < arguments.size();
    if (has_value && arguments[i] == "--data") {
      folder = arguments[i + 1];
    } else if (has_value && arguments[i] == "--kernels") {
      num_kernels = std::stoul(arguments[i + 1]);
    } else if (has_value && arguments[i] == "--seed") {
      seed = std::stoull(arguments[i + 1]);
    } else {
      fmt::print(stderr, "usage: optimizer_benchmark [--data FOLDER] [--kernels N] [--seed S]\n");
      return 2;
    }
  }
  compare({"examples/data/airline.csv", "Passengers", "paper-small", 100}, num_kernels, seed);
  if (folder) {
    fmt::print("\n");
    compare({*folder + "/airfoil.csv", "sound_pressure", "paper-large", 500}, num_kernels, seed);
  }
  return 0;
}

}  // namespace
}  // namespace covary

int main(int argc, char** argv) {
  try {
    return covary::run({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
