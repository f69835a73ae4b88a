// What a second thread is worth: a batch of evaluations of random kernels, one thread for each
// evaluation, by one and by two threads. The least wall time of alternating rounds counts, since
// other work on the machine spoils single ones; CPU seconds that differ show that it did.
//   threads_benchmark DATA.csv TARGET SPACE ROWS [KERNELS] [SEED]
#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <covary/covary.h>

#include "base/parallel.h"
#include "random_kernel.h"

namespace covary {
namespace {

constexpr int num_rounds = 5;

struct Batch {
  double wall_seconds = 0.0;
  double cpu_seconds = 0.0;
  std::vector<std::optional<double>> values;
};

Batch evaluate_all(const Oracle& oracle, const std::vector<Expression>& kernels,
                   std::size_t num_threads) {
  Batch batch;
  batch.values.resize(kernels.size());
  std::vector<double> cpu_seconds(num_threads, 0.0);
  const double wall = wall_seconds();
  parallel_for(num_threads, kernels.size(), [&](std::size_t task, std::size_t worker) {
    const double start = thread_cpu_seconds();
    batch.values[task] = oracle.evaluate(kernels[task]).value;
    cpu_seconds[worker] += thread_cpu_seconds() - start;
  });
  batch.wall_seconds = wall_seconds() - wall;
  batch.cpu_seconds = std::accumulate(cpu_seconds.begin(), cpu_seconds.end(), 0.0);
  return batch;
}

int run(const std::string& path, const std::string& target, const std::string& space,
        std::size_t rows, std::size_t num_kernels, std::uint64_t seed) {
  const Dataset data =
      split_rows(make_dataset(read_csv(path), {.target = target}), {.rows = rows, .seed = seed})
          .training;
  const InputNames inputs = inputs_of(data);
  const Grammar grammar(make_search_space({.space = space}, inputs));
  Random random(seed);
  std::vector<Expression> kernels;
  while (kernels.size() < num_kernels) kernels.push_back(random_kernel(grammar, random));
  const auto oracle = make_oracle(data, {});

  std::array<Batch, 2> best;  // by one and by two threads
  for (int round = 0; round < num_rounds; ++round) {
    for (const std::size_t num_threads : {1U, 2U}) {
      Batch batch = evaluate_all(*oracle, kernels, num_threads);
      Batch& least = best[num_threads - 1];
      if (round == 0 || batch.wall_seconds < least.wall_seconds) least = std::move(batch);
    }
  }
  if (best[0].values != best[1].values) {
    fmt::print(stderr, "the values depend on the number of threads\n");
    return 1;
  }
  fmt::print("{} of {}, {} rows, {} kernels, best of {} rounds\n\n", target,
             path.substr(path.rfind('/') + 1), data.num_rows(), num_kernels, num_rounds);
  fmt::print("| threads | wall s | CPU s |\n|---:|---:|---:|\n");
  for (std::size_t i = 0; i < best.size(); ++i) {
    fmt::print("| {} | {:.3f} | {:.3f} |\n", i + 1, best[i].wall_seconds, best[i].cpu_seconds);
  }
  fmt::print("\ntwo threads are {:.2f} times as fast as one\n",
             best[0].wall_seconds / best[1].wall_seconds);
  return 0;
}

}  // namespace
}  // namespace covary

int main(int argc, char** argv) {
  if (argc < 5) {
    fmt::print(stderr, "usage: threads_benchmark DATA.csv TARGET SPACE ROWS [KERNELS] [SEED]\n");
    return 2;
  }
  try {
    return covary::run(argv[1], argv[2], argv[3], std::stoul(argv[4]),
                       argc > 5 ? std::stoul(argv[5]) : 24, argc > 6 ? std::stoul(argv[6]) : 1);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
