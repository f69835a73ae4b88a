// What the sparse posterior costs, and how near to the exact one it is.
//   sparse_benchmark ROWS INPUTS [exact] SUPPORT...
//   sparse_benchmark supports ROWS INPUTS SUPPORT...
//   sparse_benchmark own ROWS INPUTS [exact] SUPPORT...
//   sparse_benchmark --data FILE.csv --target NAME [--test ROWS] [exact] SUPPORT...
// Simulated rows are of functions drawn from kernels: additive, products of long and short lengths,
// a smooth part beside a rough one, a cycle beside a short length. Rows of a file are modelled by a
// product of squared exponentials.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <numbers>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <covary/covary.h>

#include "base/parallel.h"
#include "evidence/training_rows.h"
#include "inference/inference.h"
#include "inference/sparse/evidence_interval.h"
#include "inference/sparse/sparse_inference.h"
#include "inference/sparse/sparse_posterior.h"
#include "inference/sparse/sparse_system.h"
#include "inference/sparse/support_rows.h"
#include "linalg/large_factor.h"

namespace {

using namespace covary;
using Numbers = std::vector<double>;

struct Case {
  std::string name;
  Expression kernel;
  Numbers parameters;  // the noise variance last
  std::vector<Numbers> x;
  Numbers y;
  std::vector<Numbers> new_x;
  Numbers new_y;
};

std::string kernel_text(std::size_t num_inputs, std::string_view joined_by) {
  std::string text;
  for (std::size_t i = 1; i <= num_inputs; ++i) {
    text += fmt::format("{}SE_{}", i == 1 ? "" : joined_by, i);
  }
  return text;
}

// A function of a squared exponential of these inputs: a sum of many waves.
class Waves {
 public:
  Waves(std::size_t first, std::size_t last, double length, double variance, Random& random)
      : first_(first), last_(last), scale_(std::sqrt(2.0 * variance / num_waves)) {
    for (std::size_t w = 0; w < num_waves; ++w) {
      for (std::size_t i = first; i < last; ++i) slopes_.push_back(random.normal() / length);
      phases_.push_back(2.0 * std::numbers::pi * random.uniform());
    }
  }
  double at(const std::vector<Numbers>& x, std::size_t row) const {
    double sum = 0.0;
    const double* slope = slopes_.data();
    for (std::size_t w = 0; w < num_waves; ++w) {
      double phase = phases_[w];
      for (std::size_t i = first_; i < last_; ++i) phase += *slope++ * x[i][row];
      sum += std::cos(phase);
    }
    return scale_ * sum;
  }

 private:
  static constexpr std::size_t num_waves = 300;
  std::size_t first_;
  std::size_t last_;
  double scale_;
  Numbers slopes_;
  Numbers phases_;
};

Case simulated(const std::string& name, bool is_sum, double length, double noise,
               std::size_t num_rows, std::size_t num_inputs) {
  constexpr std::size_t num_new = 2000;
  Random random(7);
  Case result{name,
              parse_expression(kernel_text(num_inputs, is_sum ? " + " : "*"),
                               InputNames::unnamed(num_inputs)),
              {},
              {},
              {},
              {},
              {}};
  std::vector<Waves> parts;
  for (std::size_t i = 0; i < num_inputs; ++i) {
    const double variance = is_sum ? 1.0 / static_cast<double>(num_inputs) : 1.0;
    result.parameters.insert(result.parameters.end(), {length, variance});
    if (is_sum) parts.emplace_back(i, i + 1, length, variance, random);
  }
  if (!is_sum) parts.emplace_back(0, num_inputs, length, 1.0, random);
  result.parameters.push_back(noise);
  const auto draw = [&](std::size_t count, std::vector<Numbers>& x, Numbers& y) {
    x.resize(num_inputs);
    for (std::size_t row = 0; row < count; ++row) {
      for (Numbers& column : x) column.push_back(random.uniform());
      double value = std::sqrt(noise) * random.normal();
      for (const Waves& part : parts) value += part.at(x, row);
      y.push_back(value);
    }
  };
  draw(num_rows, result.x, result.y);
  draw(num_new, result.new_x, result.new_y);
  return result;
}

// A smooth function of the first input and a rough one of all, with little noise.
Case smooth_and_rough(double length, double noise, std::size_t num_rows, std::size_t num_inputs) {
  Case result = simulated("smooth and rough", false, length, noise, num_rows, num_inputs);
  constexpr double smooth_length = 0.5;
  result.kernel =
      parse_expression("SE_1 + " + kernel_text(num_inputs, "*"), InputNames::unnamed(num_inputs));
  result.parameters.insert(result.parameters.begin(), {smooth_length, 1.0});
  Random random(8);
  const Waves waves(0, 1, smooth_length, 1.0, random);
  for (std::size_t row = 0; row < result.y.size(); ++row) result.y[row] += waves.at(result.x, row);
  for (std::size_t row = 0; row < result.new_y.size(); ++row) {
    result.new_y[row] += waves.at(result.new_x, row);
  }
  return result;
}

// A cycle, shorter variation, smooth or rough, and little noise along one input; the next tenth is
// to be told.
Case series(bool is_smooth, double length, double noise, std::size_t num_rows) {
  Random random(7);
  constexpr double period = 0.1;
  const auto rows = length * static_cast<double>(num_rows);
  Case result{
      fmt::format("a cycle and a {} length of {} rows", is_smooth ? "smooth" : "rough", rows),
      parse_expression(is_smooth ? "PER + SE" : "PER + MAT12", InputNames::unnamed(1)),
      {1.0, 1.0, period, length, 1.0, noise},
      {{}},
      {},
      {{}},
      {}};
  const Waves waves(0, 1, length, 1.0, random);
  const double kept = std::exp(-1.0 / rows);
  double rough = random.normal();
  for (std::size_t row = 0; row < num_rows + num_rows / 10; ++row) {
    rough = kept * rough + std::sqrt(1.0 - kept * kept) * random.normal();
    const bool is_new = row >= num_rows;
    std::vector<Numbers>& x = is_new ? result.new_x : result.x;
    x[0].push_back(static_cast<double>(row) / static_cast<double>(num_rows));
    const double cycle = std::sin(2.0 * std::numbers::pi * x[0].back() / period);
    const double varied = is_smooth ? waves.at(x, x[0].size() - 1) : rough;
    const double value = cycle + varied + std::sqrt(noise) * random.normal();
    (is_new ? result.new_y : result.y).push_back(value);
  }
  return result;
}

// Lengths and noise that suit standardised inputs of many columns; both posteriors have the same.
Case from_file(const std::string& path, const std::string& target, std::size_t num_new) {
  DatasetOptions options;
  options.target = target;
  const Dataset data = make_dataset(read_csv(path), options);
  const std::size_t num_inputs = data.num_inputs();
  Case result{path, parse_expression(kernel_text(num_inputs, "*"), InputNames::unnamed(num_inputs)),
              {},   std::vector<Numbers>(num_inputs),
              {},   std::vector<Numbers>(num_inputs),
              {}};
  for (std::size_t i = 0; i < num_inputs; ++i) {
    result.parameters.insert(result.parameters.end(), {num_inputs == 1 ? 0.01 : 1.0, 1.0});
  }
  result.parameters.push_back(0.1);
  std::vector<std::size_t> order(data.num_rows());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  Random(7).shuffle(order);
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool is_new = k < num_new;
    for (std::size_t i = 0; i < num_inputs; ++i) {
      (is_new ? result.new_x : result.x)[i].push_back(data.input(i)[order[k]]);
    }
    (is_new ? result.new_y : result.y).push_back(data.target()[order[k]]);
  }
  return result;
}

TrainingRows rows_of(const Case& problem) {
  return {{problem.x.begin(), problem.x.end()}, problem.y, 1.0};
}

struct Forecast {
  Numbers mean;
  Numbers variance;  // of y
};

Forecast forecast(const Case& problem, const Posterior& posterior) {
  const CompiledKernel kernel(problem.kernel);
  const std::span<const double> values(problem.parameters.data(), kernel.num_parameters());
  std::vector<Numbers> support = problem.x;
  if (const auto rows = posterior.support()) {
    for (std::size_t i = 0; i < support.size(); ++i) {
      support[i].clear();
      for (const std::size_t row : *rows) support[i].push_back(problem.x[i][row]);
    }
  }
  const InputColumns places(problem.new_x.begin(), problem.new_x.end());
  Matrix cross(support[0].size(), problem.new_y.size());
  kernel.cross(values, {support.begin(), support.end()}, places, cross);
  for (std::size_t i = 0; i < cross.num_rows() * cross.num_columns(); ++i) cross.data()[i] += 1.0;
  Numbers prior(problem.new_y.size());
  kernel.diagonal(values, places, prior);
  for (double& variance : prior) variance += 1.0;
  Forecast result{posterior.mean(cross), {}};
  result.variance = posterior.variance(cross, prior);
  for (double& variance : result.variance) variance += problem.parameters.back();
  return result;
}

struct Scores {
  double error = 0.0;           // root mean square
  double negative_score = 0.0;  // mean negative log density
};

Scores scores(const Case& problem, const Forecast& forecast) {
  Scores sums;
  const auto size = static_cast<double>(problem.new_y.size());
  for (std::size_t i = 0; i < problem.new_y.size(); ++i) {
    const double miss = problem.new_y[i] - forecast.mean[i];
    sums.error += miss * miss / size;
    sums.negative_score += 0.5 *
                           (std::log(2.0 * std::numbers::pi * forecast.variance[i]) +
                            miss * miss / forecast.variance[i]) /
                           size;
  }
  return {std::sqrt(sums.error), sums.negative_score};
}

// Always the row of which the rows before know least: a Cholesky factor with pivots.
std::vector<std::size_t> greedy_support(const SparseRows& rows, const Case& problem,
                                        std::size_t count) {
  const CompiledKernel kernel(problem.kernel);
  const std::span<const double> values(problem.parameters.data(), kernel.num_parameters());
  const std::size_t n = rows.size();
  const InputColumns all(problem.x.begin(), problem.x.end());
  Matrix factor(n, count);
  Numbers rest = rows.variance();
  std::vector<std::size_t> support;
  for (std::size_t k = 0; k < count; ++k) {
    const auto pivot = static_cast<std::size_t>(
        std::distance(rest.begin(), std::max_element(rest.begin(), rest.end())));
    support.push_back(pivot);
    InputColumns place;
    for (const Numbers& column : problem.x) place.emplace_back(&column[pivot], 1);
    Matrix column(n, 1);
    kernel.cross(values, all, place, column);
    const double root = std::sqrt(std::max(rest[pivot], 1e-12));
    for (std::size_t j = 0; j < k; ++j) {
      const double weight = factor(pivot, j);
      for (std::size_t i = 0; i < n; ++i) column(i, 0) -= weight * factor(i, j);
    }
    // The constant is in every covariance.
    for (std::size_t i = 0; i < n; ++i) factor(i, k) = (column(i, 0) + 1.0) / root;
    for (std::size_t i = 0; i < n; ++i) rest[i] -= factor(i, k) * factor(i, k);
    rest[pivot] = 0.0;
  }
  std::sort(support.begin(), support.end());
  return support;
}

// The support as it is chosen, and by greed.
void compare_supports(const Case& problem, const std::vector<std::size_t>& counts) {
  const TrainingRows rows = rows_of(problem);
  const auto n = static_cast<double>(rows.size());
  fmt::print("{}: {} rows\n{:>8} {:>8} {:>8} {:>8} {:>10} {:>10}\n", problem.name, rows.size(),
             "support", "by", "RMSE", "NLL", "lower", "upper");
  for (const std::size_t count : counts) {
    const SparseRows every(problem.kernel, problem.parameters, rows, {0}, OwnPart::none);
    for (const bool is_greedy : {false, true}) {
      SparseRows chosen(
          problem.kernel, problem.parameters, rows,
          is_greedy ? greedy_support(every, problem, count) : support_rows(rows.inputs, count),
          OwnPart::none);
      std::optional<SparseSystem> system = make_sparse_system(chosen, true, {});
      if (!system) continue;
      const Posterior::Interval interval = evidence_interval(chosen, *system, 1, {});
      const SparsePosterior posterior(std::move(chosen), std::move(*system), interval);
      const Scores found = scores(problem, forecast(problem, posterior));
      fmt::print("{:>8} {:>8} {:>8.4f} {:>8.4f} {:>10.4f} {:>10.4f}\n", count,
                 is_greedy ? "greed" : "sample", found.error, found.negative_score,
                 interval.lower / n, interval.upper / n);
      static_cast<void>(std::fflush(stdout));
    }
  }
}

// What is counted of the function beside what the support knows.
void compare_own_parts(const Case& problem, bool is_exact, const std::vector<std::size_t>& counts) {
  const TrainingRows rows = rows_of(problem);
  const auto n = static_cast<double>(rows.size());
  fmt::print("{}: {} rows\n{:>8} {:>10} {:>8} {:>8} {:>8} {:>10} {:>10}\n", problem.name,
             rows.size(), "support", "own", "seconds", "RMSE", "NLL", "lower", "upper");
  const auto show = [&](const std::string& support, const char* own, const Inference& inference) {
    const double start = wall_seconds();
    const auto posterior = inference.posterior(problem.kernel, problem.parameters, rows, {});
    const double seconds = wall_seconds() - start;
    const Scores found = scores(problem, forecast(problem, *posterior));
    const Posterior::Interval interval = posterior->log_marginal_likelihood_interval();
    fmt::print("{:>8} {:>10} {:>8.2f} {:>8.4f} {:>8.4f} {:>10.4f} {:>10.4f}\n", support, own,
               seconds, found.error, found.negative_score, interval.lower / n, interval.upper / n);
    static_cast<void>(std::fflush(stdout));
  };
  if (is_exact) show("exact", "", exact_inference());
  constexpr std::array<std::pair<OwnPart, const char*>, 3> parts = {
      {{OwnPart::none, "none"}, {OwnPart::rows, "rows"}, {OwnPart::stretches, "stretches"}}};
  for (const std::size_t count : counts) {
    for (const auto& [part, name] : parts) {
      show(fmt::to_string(count), name,
           *make_sparse_inference({.support = count,
                                   .rows_of_whole_support = rows.size(),
                                   .rows_of_products = rows.size(),
                                   .products = 1,
                                   .along_one_input = part,
                                   .of_several_inputs = part,
                                   .evidence_by_state_space = false}));
    }
  }
}

// How often all covariances are computed for the interval, as far as anybody would wait for it.
std::vector<std::size_t> products_for(std::size_t num_rows) {
  constexpr std::size_t few = 20'000;
  if (num_rows <= few) return {0, 1, 3};
  return {num_rows <= SparseLimits{}.rows_of_products ? std::size_t{1} : std::size_t{0}};
}

void run(const Case& problem, bool is_exact, const std::vector<std::size_t>& supports) {
  const TrainingRows rows = rows_of(problem);
  const auto n = static_cast<double>(rows.size());
  const std::size_t threads = LongWork{}.num_threads();
  fmt::print("{}: {} rows, {} inputs\n", problem.name, rows.size(), problem.x.size());
  fmt::print("{:>8} {:>8} {:>7} {:>8} {:>8} {:>9} {:>9} {:>10} {:>10}\n", "support", "seconds",
             "ratio", "RMSE", "NLL", "products", "per row", "lower", "upper");
  std::unique_ptr<const Posterior> exact;
  if (is_exact) {
    const double start = wall_seconds();
    exact = exact_inference().posterior(problem.kernel, problem.parameters, rows, {});
    const double seconds = wall_seconds() - start;
    const Scores found = scores(problem, forecast(problem, *exact));
    fmt::print("{:>8} {:>8.2f} {:>7} {:>8.4f} {:>8.4f} {:>9} {:>9.4f}\n", "exact", seconds, "",
               found.error, found.negative_score, "", exact->log_marginal_likelihood() / n);
    exact.reset();
  }
  for (const std::size_t support : supports) {
    for (const std::size_t products : products_for(rows.size())) {
      const auto inference = make_sparse_inference({.support = support,
                                                    .rows_of_whole_support = rows.size(),
                                                    .rows_of_products = 2 * rows.size(),
                                                    .products = products,
                                                    .evidence_by_state_space = false});
      const double start = wall_seconds();
      const auto posterior = inference->posterior(problem.kernel, problem.parameters, rows, {});
      const double seconds = wall_seconds() - start;
      if (posterior == nullptr) {
        fmt::print("{:>8} cannot be factored\n", support);
        break;
      }
      const SparseLimits usual;
      const OwnPart own = problem.x.size() == 1 ? usual.along_one_input : usual.of_several_inputs;
      const double same = operation_seconds(
          system_operations(rows.size(), support, num_systems(own, true)), threads);
      const Scores found = scores(problem, forecast(problem, *posterior));
      const Posterior::Interval interval = posterior->log_marginal_likelihood_interval();
      fmt::print(
          "{:>8} {:>8.2f} {:>7.2f} {:>8.4f} {:>8.4f} {:>9} {:>9.4f} {:>10.4f} "
          "{:>10.4f}\n",
          support, seconds, seconds / same, found.error, found.negative_score, products,
          posterior->log_marginal_likelihood() / n, interval.lower / n, interval.upper / n);
      static_cast<void>(std::fflush(stdout));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> words(argv + 1, argv + argc);
  std::string path;
  std::string target;
  std::vector<std::size_t> numbers;
  std::size_t num_new = 2000;
  bool is_exact = false;
  bool compares_supports = false;
  bool compares_own_parts = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--data" && i + 1 < words.size()) {
      path = words[++i];
    } else if (words[i] == "--target" && i + 1 < words.size()) {
      target = words[++i];
    } else if (words[i] == "--test" && i + 1 < words.size()) {
      num_new = std::strtoul(words[++i].c_str(), nullptr, 10);
    } else if (words[i] == "exact") {
      is_exact = true;
    } else if (words[i] == "supports") {
      compares_supports = true;
    } else if (words[i] == "own") {
      compares_own_parts = true;
    } else {
      numbers.push_back(std::strtoul(words[i].c_str(), nullptr, 10));
    }
  }
  if (!path.empty()) {
    run(from_file(path, target, num_new), is_exact, numbers);
    return 0;
  }
  if (numbers.size() < 3) {
    fmt::print(stderr, "usage: sparse_benchmark ROWS INPUTS [exact] [supports|own] SUPPORT...\n");
    return 1;
  }
  const std::size_t num_rows = numbers[0];
  const std::size_t num_inputs = numbers[1];
  numbers.erase(numbers.begin(), numbers.begin() + 2);
  const double width = std::sqrt(static_cast<double>(num_inputs));
  const auto show = [&](const Case& problem) {
    if (compares_supports) {
      compare_supports(problem, numbers);
    } else if (compares_own_parts) {
      compare_own_parts(problem, is_exact, numbers);
    } else {
      run(problem, is_exact, numbers);
    }
  };
  show(simulated("additive", true, 0.3, 0.1, num_rows, num_inputs));
  if (num_inputs > 1) {
    show(simulated("long lengths", false, width, 0.1, num_rows, num_inputs));
    show(simulated("little noise", false, 0.3 * width, 1e-3, num_rows, num_inputs));
    show(smooth_and_rough(0.15 * width, 1e-3, num_rows, num_inputs));
  }
  if (num_inputs == 1) {
    for (const bool is_smooth : {true, false}) {
      for (const double rows : {3.0, 10.0, 40.0}) {
        show(series(is_smooth, rows / static_cast<double>(num_rows), 1e-3, num_rows));
      }
    }
  }
  show(simulated("short lengths", false, num_inputs > 1 ? 0.15 * width : 0.001, 0.1, num_rows,
                 num_inputs));
  return 0;
}
