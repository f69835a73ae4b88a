// The symbolic strand of one search step: distances, the surrogate's fit and the proposal.
//   distance_benchmark
#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include <covary/distance.h>
#include <covary/grammar.h>
#include <covary/random.h>

#include "acquisition/propose.h"
#include "base/parallel.h"
#include "kernel_distance/hellinger_distances.h"
#include "kernel_distance/transport_table.h"
#include "kernel_distance/tree_features.h"
#include "linalg/lapack.h"
#include "surrogate/kernel_surrogate.h"

namespace covary {
namespace {

constexpr std::size_t num_evaluated = 70;

// The least CPU time of several rounds of `repeats` calls.
double best_seconds(int repeats, const auto& work) {
  double best = 1e300;
  for (int round = 0; round < 15; ++round) {
    const double start = thread_cpu_seconds();
    for (int i = 0; i < repeats; ++i) work();
    best = std::min(best, (thread_cpu_seconds() - start) / repeats);
  }
  return best;
}

// Distinct kernels of 1 to 10 base kernels.
std::vector<Expression> mixed_kernels(const Grammar& grammar, std::size_t count, Random& random) {
  std::vector<Expression> kernels;
  std::unordered_set<std::uint64_t> hashes;
  while (kernels.size() < count) {
    Expression kernel = grammar.start_kernels()[random.index(grammar.start_kernels().size())];
    const std::size_t num_leaves = 1 + random.index(10);
    while (kernel.num_leaves() < num_leaves) kernel = *grammar.random_neighbour(kernel, random);
    if (hashes.insert(kernel.tree_hash()).second) kernels.push_back(kernel);
  }
  return kernels;
}

// Distances make sense of it, but not all: what an evidence is like.
double made_up_value(const Expression& kernel, Random& random) {
  double value = 0.0;
  for (const BoundKernel& leaf : leaves(kernel)) value += leaf.kernel->name == "SE" ? 0.5 : 0.1;
  return std::log1p(value) + 0.02 * random.normal();
}

double dpotrf_seconds() {
  constexpr int n = 500;
  Matrix matrix(n, n);
  Matrix filled(n, n);
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = 0; i < n; ++i) {
      const double distance = (static_cast<double>(i) - static_cast<double>(j)) / 100.0;
      filled(i, j) = std::exp(-distance * distance) + (i == j ? 0.01 : 0.0);
    }
  }
  double best = 1e300;
  for (int round = 0; round < 30; ++round) {
    std::copy_n(filled.data(), n * n, matrix.data());
    int info = 0;
    const double start = thread_cpu_seconds();
    dpotrf_("L", &n, matrix.data(), &n, &info);
    best = std::min(best, thread_cpu_seconds() - start);
  }
  return best;
}

// A first fit to all kernels but one, distances included, and the refit when that one has arrived.
struct FitSeconds {
  double first = 1e300;
  double again = 1e300;
};

FitSeconds fit_seconds(std::span<const Expression> kernels, std::span<const double> values) {
  FitSeconds best;
  for (int round = 0; round < 15; ++round) {
    Random random(1);
    KernelSurrogate surrogate;
    const double start = thread_cpu_seconds();
    for (std::size_t i = 0; i + 1 < kernels.size(); ++i) surrogate.add(kernels[i], values[i]);
    surrogate.refit(random);
    const double middle = thread_cpu_seconds();
    surrogate.add(kernels.back(), values.back());
    surrogate.refit(random);
    best.first = std::min(best.first, middle - start);
    best.again = std::min(best.again, thread_cpu_seconds() - middle);
  }
  return best;
}

void measure(const std::string& name, std::size_t num_inputs, double dpotrf) {
  const Grammar grammar(make_search_space({}, InputNames::unnamed(num_inputs)));
  Random random(1);
  const std::vector<Expression> evaluated = mixed_kernels(grammar, num_evaluated, random);
  const std::vector<Expression> candidates = mixed_kernels(grammar, 80, random);

  TreeFeatures features;
  const double features_seconds = best_seconds(100, [&] {
    for (const Expression& kernel : candidates) collect_features(kernel, features);
  });
  TransportTable table;
  for (const Expression& kernel : evaluated) table.add(kernel);
  const double table_seconds = best_seconds(20, [&] { table.distances(candidates); });
  double sum = 0.0;
  const double pair_seconds = best_seconds(1, [&] {
    for (const Expression& a : candidates) {
      for (const Expression& b : evaluated) sum += transport_distances(a, b).paths;
    }
  });
  const auto num_candidates = static_cast<double>(candidates.size());
  const double num_pairs = num_candidates * num_evaluated;

  KernelSurrogate surrogate;
  std::unordered_set<std::uint64_t> hashes;
  for (const Expression& kernel : evaluated) {
    surrogate.add(kernel, made_up_value(kernel, random));
    hashes.insert(kernel.tree_hash());
  }
  const FitSeconds fit = fit_seconds(evaluated, surrogate.values());
  surrogate.refit(random);
  const auto is_evaluated = [&](const Expression& kernel) {
    return hashes.contains(kernel.tree_hash());
  };
  const double predict_seconds = best_seconds(20, [&] { surrogate.predict(candidates); });
  const double propose_seconds =
      best_seconds(3, [&] { propose(surrogate, grammar, is_evaluated, {}, random); });
  const double nearby_seconds = best_seconds(
      3, [&] { propose_nearby(surrogate, grammar, is_evaluated, {}, /*prunes_twice=*/true); });
  const double paper_seconds =
      best_seconds(3, [&] { propose(surrogate, grammar, {}, EvolutionOptions::paper(), random); });

  std::vector<std::vector<double>> rows(num_inputs, std::vector<double>(20));
  for (std::vector<double>& column : rows) {
    for (double& x : column) x = random.uniform();
  }
  // The Gram matrices of all kernels first, with one distance each; then the pairs alone.
  HellingerDistances hellinger(rows);
  const double start = thread_cpu_seconds();
  for (const Expression& kernel : candidates) sum += hellinger.distance(kernel, evaluated[0]);
  const double hellinger_first_seconds = thread_cpu_seconds() - start;
  for (const Expression& kernel : evaluated) sum += hellinger.distance(kernel, candidates[0]);
  for (const Expression& kernel : evaluated) hellinger.add(kernel);
  const double middle = thread_cpu_seconds();
  hellinger.distances(candidates);
  const double hellinger_seconds = thread_cpu_seconds() - middle;

  fmt::print("\n{}, {} evaluated kernels of 1 to 10 base kernels\n\n", name, num_evaluated);
  fmt::print("| operation | CPU time |\n|---|---:|\n");
  fmt::print("| features of one kernel | {:.2f} µs |\n", 1e6 * features_seconds / num_candidates);
  fmt::print("| one kernel against all evaluated ones, a pair | {:.1f} ns |\n",
             1e9 * table_seconds / num_pairs);
  fmt::print("| one pair alone, exact | {:.0f} ns |\n", 1e9 * pair_seconds / num_pairs);
  fmt::print("| mean and spread of one kernel | {:.2f} µs |\n",
             1e6 * predict_seconds / num_candidates);
  fmt::print("| first fit of the surrogate, distances included | {:.1f} ms |\n", 1e3 * fit.first);
  fmt::print("| refit after one more value | {:.1f} ms |\n", 1e3 * fit.again);
  fmt::print("| proposal, default settings | {:.2f} ms, {:.1f} × dpotrf |\n", 1e3 * propose_seconds,
             propose_seconds / dpotrf);
  fmt::print("| proposal, the paper's settings | {:.2f} ms, {:.1f} × dpotrf |\n",
             1e3 * paper_seconds, paper_seconds / dpotrf);
  fmt::print("| proposal, small changes of the best kernel | {:.2f} ms, {:.1f} × dpotrf |\n",
             1e3 * nearby_seconds, nearby_seconds / dpotrf);
  fmt::print("| Hellinger distance: one kernel's Gram matrices and one pair | {:.0f} µs |\n",
             1e6 * hellinger_first_seconds / num_candidates);
  fmt::print("| Hellinger distance: one more pair | {:.1f} µs |\n",
             1e6 * hellinger_seconds / num_pairs);
  if (!std::isfinite(sum)) fmt::print("no sum\n");  // so that no distance is optimised away
}

}  // namespace
}  // namespace covary

int main() {
  const double dpotrf = covary::dpotrf_seconds();
  fmt::print("one dpotrf at n = 500: {:.2f} ms\n", 1e3 * dpotrf);
  covary::measure("5 inputs, 20 base kernels", 5, dpotrf);
  covary::measure("1 input, 4 base kernels", 1, dpotrf);
  return 0;
}
