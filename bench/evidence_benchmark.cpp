// The numeric hot path against LAPACK on the same machine in the same run: ratios, not seconds.
//   evidence_benchmark
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include <fmt/format.h>

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

void compare_with_lapack() {
  const Expression kernel = parse_expression("SE_1 + RQ_2*SE_3 + RQ_1", InputNames::unnamed(3));
  fmt::print("value and gradient of {} over LAPACK's dpotrf + dpotri\n\n", to_string(kernel));
  fmt::print("| n | dpotrf + dpotri (ms) | value (ms) | value + gradient (ms) | ratio |\n");
  fmt::print("|---:|---:|---:|---:|---:|\n");
  for (const std::size_t n : {100U, 250U, 500U, 1000U, 2000U}) {
    const Problem problem = make_problem(n);
    LogPosterior posterior(kernel, problem.inputs(), problem.y, true);
    std::vector<double> place(posterior.size());
    for (std::size_t p = 0; p < place.size(); ++p) place[p] = posterior.space().free(p, 0.5);
    place.back() = posterior.space().free(place.size() - 1, 0.01);
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

}  // namespace
}  // namespace covary

int main() {
  covary::compare_with_lapack();
  return 0;
}
