// One whole evaluation of random kernels: the default strategy against the plain one (10 starts
// from the priors, each followed to the end), in CPU time and in how near they come to the best
// known optimum of each kernel: the best over both and 60 or more further restarts.
//   strategy_benchmark DATA.csv TARGET SPACE ROWS [KERNELS] [SEED]
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <covary/covary.h>

#include "random_kernel.h"

namespace covary {
namespace {

struct Total {
  std::string name;
  EvidenceOptions options;
  double seconds = 0.0;             // per kernel
  std::vector<double> values = {};  // log posterior at the optimum, per kernel
};

// The two that are measured, and in brackets those that only tell how good a kernel can be.
std::vector<Total> strategies(std::size_t num_rows) {
  EvidenceOptions plain;
  plain.starts = StartValues::priors;
  plain.restarts = 10;
  EvidenceOptions informed;
  informed.restarts = 60;
  informed.seed = 3;
  std::vector<Total> totals = {{"plain", plain}, {"default", {}}, {"(60 informed)", informed}};
  constexpr std::size_t few_rows = 200;  // with more, 40 full fits of one kernel take minutes
  if (num_rows <= few_rows) {
    EvidenceOptions many = plain;
    many.restarts = 40;
    many.seed = 2;
    totals.push_back({"(40 from priors)", many});
  }
  return totals;
}

void print_table(const std::vector<Total>& totals, const std::vector<double>& best,
                 std::size_t num_rows) {
  const auto num_kernels = static_cast<double>(best.size());
  fmt::print("| strategy | CPU s per kernel | mean gap (nats per row) | within 0.01 |\n");
  fmt::print("|---|---:|---:|---:|\n");
  for (const Total& total : totals) {
    double gap = 0.0;
    int num_within = 0;
    for (std::size_t k = 0; k < best.size(); ++k) {
      const double per_row = (best[k] - total.values[k]) / static_cast<double>(num_rows);
      gap += per_row / num_kernels;
      num_within += per_row < 0.01 ? 1 : 0;
    }
    fmt::print("| {} | {:.3f} | {:.4f} | {:.2f} |\n", total.name, total.seconds, gap,
               num_within / num_kernels);
  }
  fmt::print("\nplain takes {:.2f} times the CPU time of default\n",
             totals[0].seconds / totals[1].seconds);
}

void run(const std::string& path, const std::string& target, const std::string& space,
         std::size_t rows, std::size_t num_kernels, std::uint64_t seed) {
  const Dataset data =
      split_rows(make_dataset(read_csv(path), {.target = target}), {.rows = rows, .seed = seed})
          .training;
  const InputNames inputs = inputs_of(data);
  const Grammar grammar(make_search_space({.space = space}, inputs));
  std::vector<Total> totals = strategies(data.num_rows());
  Random random(seed);
  std::vector<double> best(num_kernels, -1e300);
  for (std::size_t k = 0; k < num_kernels; ++k) {
    const Expression kernel = random_kernel(grammar, random);
    for (Total& total : totals) {
      const Evidence evidence = make_oracle(data, total.options)->evaluate(kernel);
      total.seconds += evidence.seconds / static_cast<double>(num_kernels);
      total.values.push_back(evidence.value ? evidence.log_posterior : -1e300);
      best[k] = std::max(best[k], total.values.back());
    }
  }
  fmt::print("{} of {}, {} rows, {} kernels of 1 to 8 base kernels out of {}, seed {}\n\n", target,
             path.substr(path.rfind('/') + 1), data.num_rows(), num_kernels, space, seed);
  print_table(totals, best, data.num_rows());
}

}  // namespace
}  // namespace covary

int main(int argc, char** argv) {
  if (argc < 5) {
    fmt::print(stderr, "usage: strategy_benchmark DATA.csv TARGET SPACE ROWS [KERNELS] [SEED]\n");
    return 2;
  }
  try {
    covary::run(argv[1], argv[2], argv[3], std::stoul(argv[4]), argc > 5 ? std::stoul(argv[5]) : 40,
                argc > 6 ? std::stoul(argv[6]) : 1);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
