// What the evidence of a series takes by state space, for kernels as searches of series find them:
// functions that stay and move, operations, time and agreement; and what the posterior would gain.
//
//   state_space_study ROWS [LENGTH]           LENGTH: of cycles, 0.5 if not given
//   state_space_study ROWS whole NUMBER...    conditioning with and without it, of these kernels of
//                                             the list, counted from 0
//   state_space_study ROWS posterior SUPPORT  rows held out one by one: exactly, by two evidences
//                                             each, and by the sparse posterior
#include <cmath>
#include <cstdlib>
#include <numbers>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/core.h>

#include <covary/expression.h>
#include <covary/random.h>

#include "base/parallel.h"
#include "covariance/compiled_kernel.h"
#include "inference/inference.h"
#include "inference/sparse/sparse_inference.h"
#include "inference/sparse/sparse_system.h"
#include "inference/state_space/state_space_evidence.h"
#include "linalg/large_factor.h"
#include "linalg/matrix.h"

using namespace covary;

namespace {

using Numbers = std::vector<double>;

struct Series {
  Numbers x;
  Numbers y;
  TrainingRows rows() const { return {{x}, y, 1.0}; }
};

// Steps of an hour over so many days: a day, a week and a year, rough variation, and noise.
constexpr double steps_a_day = 24.0;

Series make_series(std::size_t num_rows) {
  Series series;
  Random random(5);
  double rough = 0.0;
  for (std::size_t i = 0; i < num_rows; ++i) {
    const double day = static_cast<double>(i) / steps_a_day;
    rough = 0.98 * rough + 0.1 * random.normal();
    const auto cycle = [&](double period) {
      return std::sin(2.0 * std::numbers::pi * day / period);
    };
    series.x.push_back(static_cast<double>(i) / static_cast<double>(num_rows));
    series.y.push_back(0.6 * cycle(1.0) + 0.3 * cycle(7.0) + 0.5 * cycle(365.25) + rough +
                       0.3 * random.normal());
  }
  return series;
}

struct Case {
  const char* kernel;
  Numbers parameters;  // lengths in days
};

// Calendar words have the cycle's length and its variance; PER's period is the last.
std::vector<Case> cases(double length) {
  return {
      {"MAT32 + LIN", {2.0, 0.5, 1.0, 1.0}},
      {"MAT12 + MAT52 + RW", {0.5, 0.2, 20.0, 0.5, 1.0, 1.0}},
      {"DAY + WEEK + PER", {length, 0.5, length, 0.5, length, 0.5, 365.25}},
      {"DAY*WEEK + LIN", {length, 0.5, length, 1.0, 1.0, 1.0}},
      {"MAT32*DAY + MAT32 + LIN", {30.0, 0.5, length, 1.0, 2.0, 0.5, 1.0, 1.0}},
      {"MAT52*DAY*WEEK + MAT32", {300.0, 0.5, length, 1.0, length, 1.0, 2.0, 0.5}},
      {"DAY*WEEK*YEAR + LIN", {length, 0.5, length, 1.0, length, 1.0, 1.0, 1.0}},
      {"SE", {200.0, 0.5}},
      {"SE", {20.0, 0.5}},
      {"SE", {2.0, 0.5}},
      {"SE*PER + SE", {200.0, 0.5, length, 1.0, 1.0, 20.0, 0.5}},
      {"DAY*WEEK*YEAR + RQ + LIN",
       {length, 0.5, length, 1.0, length, 1.0, 2.0, 0.5, 1.0, 1.0, 1.0}},
      {"PER*RQ + RQ + LIN", {length, 1.0, 1.0, 200.0, 0.5, 1.0, 2.0, 0.5, 1.0, 1.0, 1.0}},
      {"SE*PER + SE + RQ", {200.0, 0.5, length, 1.0, 1.0, 20.0, 0.5, 2.0, 0.5, 1.0}},
  };
}

// Natural parameters on inputs from 0 to 1, the noise last, and calendar words that know it.
Case scaled(const Case& problem, std::size_t num_rows, Expression& kernel) {
  const double days = static_cast<double>(num_rows) / steps_a_day;
  kernel = with_periods(parse_expression(problem.kernel, InputNames::unnamed(1)),
                        Numbers{365.2425 / days});
  Case result = problem;
  std::size_t p = 0;
  for (const BoundKernel& leaf : leaves(kernel)) {
    for (const Parameter& parameter : leaf.kernel->parameters) {
      if (parameter.quantity == Quantity::input_length) result.parameters[p] /= days;
      if (parameter.quantity == Quantity::variance_rate) result.parameters[p] *= 10.0;
      ++p;
    }
  }
  result.parameters.push_back(0.09);
  return result;
}

// How far the value of few rows is from the exact one, relative to it.
double disagreement(const Case& problem) {
  constexpr std::size_t few = 3000;
  const Series series = make_series(few);
  Expression kernel = parse_expression("C", InputNames::unnamed(1));
  const Case found = scaled(problem, few, kernel);
  const auto model =
      state_space_model(kernel, found.parameters, series.rows(), {.open_per_row = 0.0});
  const auto interval = state_space_evidence(*model, series.rows(), {});
  const double exact = exact_inference()
                           .posterior(kernel, found.parameters, series.rows())
                           ->log_marginal_likelihood();
  return std::abs(interval->lower - exact) / std::abs(exact);
}

void show_cost(std::size_t num_rows, double length) {
  const Series series = make_series(num_rows);
  const auto n = static_cast<double>(num_rows);
  const auto m = static_cast<double>(sparse_inference().num_support(num_rows));
  fmt::print("{} rows of an hour, {} of support, cycles of length {}\n", num_rows, m, length);
  fmt::print("{:<26} {:>7} {:>7} {:>9} {:>9} {:>7} {:>9} {:>10} {:>9}\n", "kernel", "moving",
             "still", "of n m^2", "us a row", "ratio", "from exact", "per row", "width");
  for (const Case& problem : cases(length)) {
    Expression kernel = parse_expression("C", InputNames::unnamed(1));
    const Case found = scaled(problem, num_rows, kernel);
    const auto model = state_space_model(kernel, found.parameters, series.rows(), {});
    if (!model) {
      fmt::print("{:<26} none\n", problem.kernel);
      continue;
    }
    const double operations = state_space_operations(*model, num_rows);
    fmt::print("{:<26} {:>7} {:>7} {:>9.4f}", problem.kernel, model->num_moving(),
               model->num_still(), operations / (n * m * m));
    constexpr double most_operations = 1.2e12;
    if (operations > most_operations) {
      fmt::print("\n");
      continue;
    }
    const double start = thread_cpu_seconds();
    const auto interval = state_space_evidence(*model, series.rows(), {.threads = 1});
    const double seconds = thread_cpu_seconds() - start;
    fmt::print(" {:>9.2f} {:>7.2f}", 1e6 * seconds / n, seconds / operation_seconds(operations, 1));
    fmt::print(" {:>9.1e} {:>10.4f} {:>9.1e}\n", disagreement(problem), interval->lower / n,
               (interval->upper - interval->lower) / n);
    static_cast<void>(std::fflush(stdout));
  }
}

void show_whole(std::size_t num_rows, const std::vector<std::size_t>& numbers) {
  const Series series = make_series(num_rows);
  const auto n = static_cast<double>(num_rows);
  fmt::print("{} rows\n{:<26} {:>8} {:>10} {:>10} {:>9} {:>10} {:>10}\n", num_rows, "kernel",
             "CPU s", "lower", "upper", "without", "lower", "upper");
  for (const std::size_t number : numbers) {
    const Case problem = cases(0.5).at(number);
    Expression kernel = parse_expression("C", InputNames::unnamed(1));
    const Case found = scaled(problem, num_rows, kernel);
    fmt::print("{:<26}", problem.kernel);
    for (const bool is_by_state_space : {true, false}) {
      const auto inference = make_sparse_inference({.evidence_by_state_space = is_by_state_space});
      const double start = thread_cpu_seconds();
      const auto posterior = inference->posterior(kernel, found.parameters, series.rows(), {});
      const double seconds = thread_cpu_seconds() - start;
      if (posterior == nullptr) {
        fmt::print(" cannot be factored");
        continue;
      }
      const Posterior::Interval interval = posterior->log_marginal_likelihood_interval();
      fmt::print(" {:>8.1f} {:>10.5f} {:>10.5f}", seconds, interval.lower / n, interval.upper / n);
      static_cast<void>(std::fflush(stdout));
    }
    fmt::print("\n");
  }
}

// Negative log density of every so manieth row, each by itself, given all that are not held out.
void show_posterior(std::size_t num_rows, std::size_t num_support) {
  constexpr std::size_t num_held_out = 60;
  const Series all = make_series(num_rows);
  const Case problem = {"MAT12 + DAY + WEEK + PER",
                        {2.06, 0.25, 2.0, 0.2, 2.0, 0.05, 2.0, 0.15, 365.25}};
  Expression kernel = parse_expression("C", InputNames::unnamed(1));
  const Case found = scaled(problem, num_rows, kernel);
  Series kept;
  Series held_out;
  const std::size_t step = num_rows / num_held_out;
  for (std::size_t i = 0; i < num_rows; ++i) {
    Series& part = i % step == step / 2 ? held_out : kept;
    part.x.push_back(all.x[i]);
    part.y.push_back(all.y[i]);
  }
  const auto evidence = [&](const Series& series) {
    const auto model =
        state_space_model(kernel, found.parameters, series.rows(), {.open_per_row = 0.0});
    return state_space_evidence(*model, series.rows(), {})->lower;
  };
  const auto count = static_cast<double>(held_out.y.size());
  const double before = evidence(kept);
  double exact = 0.0;
  for (std::size_t i = 0; i < held_out.y.size(); ++i) {
    Series with = kept;
    with.x.push_back(held_out.x[i]);
    with.y.push_back(held_out.y[i]);
    exact -= (evidence(with) - before) / count;
  }
  const auto posterior =
      make_sparse_inference({.support = num_support, .rows_of_whole_support = num_rows})
          ->posterior(kernel, found.parameters, kept.rows(), {});
  Numbers support;
  if (const auto rows = posterior->support()) {
    for (const std::size_t row : *rows) support.push_back(kept.x[row]);
  }
  const CompiledKernel compiled(kernel);
  const std::span<const double> values(found.parameters.data(), compiled.num_parameters());
  Matrix cross(support.size(), held_out.x.size());
  compiled.cross(values, {support}, {held_out.x}, cross);
  for (std::size_t i = 0; i < cross.num_rows() * cross.num_columns(); ++i) cross.data()[i] += 1.0;
  Numbers prior(held_out.x.size());
  compiled.diagonal(values, {held_out.x}, prior);
  for (double& variance : prior) variance += 1.0;
  const Numbers mean = posterior->mean(cross);
  const Numbers variance = posterior->variance(cross, prior);
  double sparse = 0.0;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const double whole = variance[i] + found.parameters.back();
    const double miss = held_out.y[i] - mean[i];
    sparse += 0.5 * (std::log(2.0 * std::numbers::pi * whole) + miss * miss / whole) / count;
  }
  fmt::print("{} rows, {} of support, {}: NLL of {} rows {:.4f} exactly, {:.4f} by the support\n",
             num_rows, num_support, problem.kernel, count, exact, sparse);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.empty()) {
    fmt::print(stderr,
               "usage: state_space_study ROWS [LENGTH|whole NUMBER...|posterior SUPPORT]\n");
    return 1;
  }
  const std::size_t num_rows = std::strtoul(words[0].c_str(), nullptr, 10);
  if (words.size() > 2 && words[1] == "posterior") {
    show_posterior(num_rows, std::strtoul(words[2].c_str(), nullptr, 10));
  } else if (words.size() > 1 && words[1] == "whole") {
    std::vector<std::size_t> numbers;
    for (std::size_t i = 2; i < words.size(); ++i) {
      numbers.push_back(std::strtoul(words[i].c_str(), nullptr, 10));
    }
    show_whole(num_rows, numbers);
  } else {
    show_cost(num_rows, words.size() > 1 ? std::strtod(words[1].c_str(), nullptr) : 0.5);
  }
  return 0;
}
