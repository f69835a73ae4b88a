// Factors of many rows: tiles on all cores against LAPACK's, and what a model of many rows takes.
//   factor_benchmark factor ROWS...
//   factor_benchmark step ROWS...
//   factor_benchmark model ROWS [NEW_ROWS]
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>

#include <covary/covary.h>

#include "base/parallel.h"
#include "inference/inference.h"
#include "linalg/lapack.h"
#include "linalg/large_factor.h"
#include "optim/look.h"

namespace covary {
namespace {

void fill(Matrix& matrix) {
  const std::size_t n = matrix.num_rows();
  parallel_for(num_cores(), n, [&](std::size_t j, std::size_t /*worker*/) {
    for (std::size_t i = j; i < n; ++i) {
      matrix(i, j) = std::exp(-0.01 * static_cast<double>(i - j)) + (i == j ? 0.1 : 0.0);
    }
  });
}

// The best of a few times, by the clock and of CPU time of all threads.
struct Seconds {
  double wall = std::numeric_limits<double>::infinity();
  double cpu = std::numeric_limits<double>::infinity();
};

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

template <class Work>
Seconds best_seconds(Matrix& matrix, const Work& work) {
  Seconds best;
  for (int time = 0; time < (matrix.num_rows() > 6000 ? 2 : 5); ++time) {
    fill(matrix);
    const double start = wall_seconds();
    const double start_cpu = cpu_seconds();
    work();
    best.wall = std::min(best.wall, wall_seconds() - start);
    best.cpu = std::min(best.cpu, cpu_seconds() - start_cpu);
  }
  return best;
}

void compare(std::size_t num_rows) {
  Matrix matrix(num_rows, num_rows);
  const int n = static_cast<int>(num_rows);
  const auto lapack = [&](std::size_t num_threads) {
    openblas_set_num_threads(static_cast<int>(num_threads));
    const Seconds seconds = best_seconds(matrix, [&] {
      int info = 0;
      dpotrf_("L", &n, matrix.data(), &n, &info);
    });
    openblas_set_num_threads(1);
    return seconds;
  };
  const Seconds alone = lapack(1);
  const Seconds together = lapack(num_cores());
  const Seconds by_tiles =
      best_seconds(matrix, [&] { static_cast<void>(factor_by_tiles(matrix, {})); });
  fmt::print("| {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.2f} |\n", num_rows, alone.cpu,
             together.cpu, by_tiles.cpu, together.wall, by_tiles.wall, together.cpu / by_tiles.cpu);
}

// A value and a gradient of a kernel of 8 inputs, against LAPACK's factor and inverse of a matrix
// of as many rows, on as many threads.
void compare_step(std::size_t num_rows) {
  const int n = static_cast<int>(num_rows);
  Seconds lapack;
  {
    Matrix matrix(num_rows, num_rows);
    openblas_set_num_threads(static_cast<int>(num_cores()));
    lapack = best_seconds(matrix, [&] {
      int info = 0;
      dpotrf_("L", &n, matrix.data(), &n, &info);
      dpotri_("L", &n, matrix.data(), &n, &info);
    });
    openblas_set_num_threads(1);
  }
  Random random(1);
  std::vector<std::vector<double>> inputs(8);
  std::vector<double> target;
  for (auto& column : inputs) {
    for (std::size_t i = 0; i < num_rows; ++i) column.push_back(random.uniform());
  }
  for (std::size_t i = 0; i < num_rows; ++i) target.push_back(random.normal());
  TrainingRows rows{.target = target};
  for (const auto& column : inputs) rows.inputs.emplace_back(column);
  const Expression kernel = parse_expression("SE_1*SE_2*SE_3*SE_4*SE_5*SE_6*MAT32_7*MAT32_8",
                                             InputNames::unnamed(inputs.size()));
  std::vector<double> parameters(2 * inputs.size() + 1, 1.0);
  parameters.back() = 0.1;
  const auto step = [&](Want want) {
    Seconds best;
    for (int time = 0; time < (num_rows > 6000 ? 2 : 5); ++time) {
      Look look(parameters, want);
      const Walk walk{&kernel, &rows, &look};
      const double start = wall_seconds();
      const double start_cpu = cpu_seconds();
      exact_inference().lead({&walk, 1}, num_cores(), {});
      best.wall = std::min(best.wall, wall_seconds() - start);
      best.cpu = std::min(best.cpu, cpu_seconds() - start_cpu);
    }
    return best;
  };
  const Seconds gradient = step(Want::gradient);
  const Seconds information = step(Want::gradient_and_curvature);
  fmt::print("| {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} |\n", num_rows, lapack.cpu,
             gradient.cpu, information.cpu, lapack.wall, gradient.wall, lapack.cpu / gradient.cpu);
}

double peak_gigabytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return 1024e-9 * static_cast<double>(usage.ru_maxrss);
}

std::vector<std::vector<double>> random_inputs(std::size_t num_rows, Random& random) {
  std::vector<std::vector<double>> inputs(8);
  for (auto& column : inputs) {
    for (std::size_t i = 0; i < num_rows; ++i) column.push_back(random.uniform());
  }
  return inputs;
}

void measure_model(std::size_t num_rows, std::size_t num_new) {
  Random random(1);
  std::vector<std::vector<double>> inputs = random_inputs(num_rows, random);
  std::vector<double> target;
  std::vector<Scaling> scalings;
  std::string kernel;
  std::vector<double> parameters;
  for (std::size_t d = 0; d < inputs.size(); ++d) {
    scalings.push_back({fmt::format("x{}", d + 1)});
    kernel += fmt::format("{}SE_{}", d == 0 ? "" : "*", d + 1);
    parameters.insert(parameters.end(), {0.8, 1.0});
  }
  parameters.push_back(0.01);
  for (std::size_t i = 0; i < num_rows; ++i) {
    target.push_back(std::sin(6.0 * inputs[0][i]) + inputs[1][i] * inputs[2][i] +
                     0.1 * random.normal());
  }
  const Dataset data(std::move(inputs), std::move(target), scalings, {"y"}, "", {});
  const Expression expression = parse_expression(kernel, inputs_of(data));
  LongWork work;
  work.starting = [](const WorkEstimate& estimate) {
    fmt::print("estimate: {:.1f} s, {:.2f} GB\n", estimate.seconds, estimate.bytes / 1e9);
  };
  double start = wall_seconds();
  std::optional<FittedModel> model(std::in_place, expression, parameters, data, MeanFunction::zero,
                                   work);
  fmt::print("conditioned: {:.1f} s, peak {:.2f} GB, one matrix {:.2f} GB\n",
             wall_seconds() - start, peak_gigabytes(),
             8e-9 * std::pow(static_cast<double>(num_rows), 2.0));
  start = wall_seconds();
  static_cast<void>(model->predict(random_inputs(num_new, random)));
  fmt::print("{} rows predicted: {:.1f} s, peak {:.2f} GB\n", num_new, wall_seconds() - start,
             peak_gigabytes());
  const auto time_to_stop = [&](const char* what, double after, const auto& begin) {
    std::atomic<bool> is_over = false;
    std::atomic<double> asked = 0.0;
    std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::duration<double>(after));
      asked = wall_seconds();
      is_over = true;
    });
    try {
      begin(LongWork{.should_stop = [&] { return is_over.load(); }});
      fmt::print("{}: done before it was stopped\n", what);
    } catch (const WorkStopped&) {
      fmt::print("{} stopped after {:.1f} s: in {:.3f} s\n", what, after, wall_seconds() - asked);
    }
  };
  const std::vector<std::vector<double>> many = random_inputs(100'000, random);
  time_to_stop("predictions", 3.0,
               [&](const LongWork& stopped) { static_cast<void>(model->predict(many, stopped)); });
  time_to_stop("leave-one-out", 3.0, [&](const LongWork& stopped) {
    static_cast<void>(model->leave_one_out_mean(stopped));
  });
  model.reset();
  for (const double after : {0.5, 3.0, 10.0}) {
    time_to_stop("conditioning", after, [&](const LongWork& stopped) {
      FittedModel(expression, parameters, data, MeanFunction::zero, stopped);
    });
  }
  fmt::print("peak {:.2f} GB\n", peak_gigabytes());
}

}  // namespace
}  // namespace covary

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() >= 2 && words[0] == "factor") {
    fmt::print(
        "| rows | LAPACK, 1 thread, CPU (s) | LAPACK, {0} threads, CPU (s) | tiles, {0} threads, "
        "CPU "
        "(s) | LAPACK, {0}, wall (s) | tiles, {0}, wall (s) | ratio of CPU |\n"
        "|---:|---:|---:|---:|---:|---:|---:|\n",
        covary::num_cores());
    for (std::size_t i = 1; i < words.size(); ++i) covary::compare(std::stoul(words[i]));
    return 0;
  }
  if (words.size() >= 2 && words[0] == "step") {
    fmt::print(
        "| rows | LAPACK's factor and inverse, {0} threads, CPU (s) | value and gradient, {0} "
        "threads, CPU (s) | and information, CPU (s) | LAPACK, wall (s) | value and gradient, wall "
        "(s) | ratio of CPU |\n|---:|---:|---:|---:|---:|---:|---:|\n",
        covary::num_cores());
    for (std::size_t i = 1; i < words.size(); ++i) covary::compare_step(std::stoul(words[i]));
    return 0;
  }
  if (words.size() >= 2 && words[0] == "model") {
    covary::measure_model(std::stoul(words[1]), words.size() > 2 ? std::stoul(words[2]) : 1000);
    return 0;
  }
  fmt::print(stderr,
             "usage: factor_benchmark factor ROWS... | step ROWS... | model ROWS [NEW_ROWS]\n");
  return 2;
}
