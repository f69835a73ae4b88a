// The numeric hot path against LAPACK on the same machine in the same run: ratios, not seconds.
//   evidence_benchmark
//   evidence_benchmark --kernel EXPR --rows N    one kernel, with all that another program needs to
//                                                do the same, as JSON
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <covary/error.h>
#include <covary/expression.h>
#include <covary/random.h>

#include "base/parallel.h"
#include "covariance/compiled_kernel.h"
#include "evidence/log_posterior.h"
#include "linalg/lapack.h"

namespace covary {
namespace {

struct Problem {
  std::vector<std::vector<double>> x;
  std::vector<double> y;
  InputColumns inputs() const {
    InputColumns spans;
    for (const auto& column : x) spans.emplace_back(column);
    return spans;
  }
};

Problem make_problem(std::size_t n) {
  Random random(1);
  Problem problem;
  problem.x.resize(3);
  for (std::size_t i = 0; i < n; ++i) {
    for (auto& column : problem.x) column.push_back(random.uniform());
    problem.y.push_back(std::sin(6.0 * problem.x[0][i]) + 0.1 * random.normal());
  }
  return problem;
}

// The least CPU time of several rounds, each of which repeats the work to last some milliseconds.
double best_seconds(std::size_t n, const auto& work) {
  const auto size = static_cast<double>(n);
  const int repeats = std::max(1, static_cast<int>(4e7 / (size * size * size)));
  const int rounds = n > 1000 ? 5 : 15;
  double best = 1e300;
  for (int round = 0; round < rounds; ++round) {
    const double start = thread_cpu_seconds();
    for (int i = 0; i < repeats; ++i) work();
    best = std::min(best, (thread_cpu_seconds() - start) / repeats);
  }
  return best;
}

// dpotrf and dpotri of the same covariance matrix; filling it is not counted.
double lapack_seconds(const Matrix& covariance) {
  const int n = static_cast<int>(covariance.num_rows());
  const auto size = static_cast<double>(n);
  const int repeats = std::max(1, static_cast<int>(4e7 / (size * size * size)));
  const int rounds = n > 1000 ? 5 : 15;
  double best = 1e300;
  for (int round = 0; round < rounds; ++round) {
    double sum = 0.0;
    for (int i = 0; i < repeats; ++i) {
      Matrix matrix = Matrix::copy_of(covariance);
      int info = 0;
      const double start = thread_cpu_seconds();
      dpotrf_("L", &n, matrix.data(), &n, &info);
      dpotri_("L", &n, matrix.data(), &n, &info);
      sum += thread_cpu_seconds() - start;
    }
    best = std::min(best, sum / repeats);
  }
  return best;
}

// Every parameter 0.5, the noise variance 0.01.
std::vector<double> usual_place(const ParameterSpace& space) {
  std::vector<double> place(space.size());
  for (std::size_t p = 0; p < place.size(); ++p) place[p] = space.free(p, 0.5);
  place.back() = space.free(place.size() - 1, 0.01);
  return place;
}

void compare_with_lapack() {
  const Expression kernel = parse_expression("SE_1 + RQ_2*SE_3 + RQ_1", InputNames::unnamed(3));
  fmt::print("value and gradient of {} over LAPACK's dpotrf + dpotri\n\n", to_string(kernel));
  fmt::print("| n | dpotrf + dpotri (ms) | value (ms) | value + gradient (ms) | ratio |\n");
  fmt::print("|---:|---:|---:|---:|---:|\n");
  for (const std::size_t n : {100U, 250U, 500U, 1000U, 2000U}) {
    const Problem problem = make_problem(n);
    LogPosterior posterior(kernel, {problem.inputs(), problem.y}, Laplace::consistent);
    const std::vector<double> place = usual_place(posterior.space());
    std::vector<double> gradient(place.size());
    const double value = best_seconds(n, [&] { posterior.value(place); });
    const double both = best_seconds(n, [&] {
      posterior.value(place);
      posterior.gradient(gradient);
    });
    Matrix covariance(n, n);
    const std::vector<double> natural = posterior.space().natural(place);
    CompiledKernel(kernel).gram({natural.data(), natural.size() - 1}, problem.inputs(), covariance);
    for (std::size_t i = 0; i < n; ++i) covariance(i, i) += natural.back();
    const double lapack = lapack_seconds(covariance);
    fmt::print("| {} | {:.3f} | {:.3f} | {:.3f} | {:.2f} |\n", n, 1e3 * lapack, 1e3 * value,
               1e3 * both, both / lapack);
  }
}

// Derivatives are those of the log marginal likelihood by the natural parameters: the priors and
// the coordinates, which are measured along, are ours alone.
void print_one(const std::string& text, std::size_t n) {
  const Problem problem = make_problem(n);
  const Expression kernel = parse_expression(text, InputNames::unnamed(problem.x.size()));
  LogPosterior posterior(kernel, {problem.inputs(), problem.y}, Laplace::reference);
  const ParameterSpace& space = posterior.space();
  const std::vector<double> place = usual_place(space);
  std::vector<double> gradient(place.size());
  const double seconds = best_seconds(n, [&] {
    posterior.value(place);
    posterior.gradient(gradient);
  });
  nlohmann::ordered_json parameters;
  const std::vector<double> natural = space.natural(place);
  for (std::size_t p = 0; p < place.size(); ++p) {
    const double prior_slope = log_density(space[p].parameter.prior, natural[p]).slope;
    parameters.push_back({{"kernel", space[p].owner},
                          {"name", space[p].parameter.name},
                          {"value", natural[p]},
                          {"slope", gradient[p] / space.slope(p, place[p]) - prior_slope}});
  }
  const nlohmann::ordered_json out = {{"kernel", to_string(kernel)},
                                      {"rows", n},
                                      {"milliseconds", 1e3 * seconds},
                                      {"log_marginal_likelihood", posterior.log_likelihood()},
                                      {"parameters", parameters},
                                      {"inputs", problem.x},
                                      {"target", problem.y}};
  fmt::print("{}\n", out.dump());
}

}  // namespace
}  // namespace covary

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool is_one =
      arguments.size() == 4 && arguments[0] == "--kernel" && arguments[2] == "--rows";
  if (!arguments.empty() && !is_one) {
    fmt::print(stderr, "usage: evidence_benchmark [--kernel EXPR --rows N]\n");
    return 2;
  }
  try {
    if (is_one) {
      covary::print_one(arguments[1], std::stoul(arguments[3]));
    } else {
      covary::compare_with_lapack();
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
