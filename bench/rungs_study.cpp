// Whether few rows tell which kernels are good on many.
//   rungs_study DATA.csv TARGET KERNELS ROWS ROWS [ROWS ...]
// Searches on the first number of rows, takes the best KERNELS of it and as many of the others at
// random, judges each on every number of rows, from its parameters on fewer, and prints rank
// correlations between the numbers of rows, and what is lost, in nats a row of the last number, by
// going on with the best 10 and 4 alone. 0 rows: all of them.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <covary/covary.h>

namespace covary {
namespace {

using Numbers = std::vector<double>;

Numbers ranks(const Numbers& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  Numbers rank(values.size());
  for (std::size_t i = 0; i < order.size(); ++i) rank[order[i]] = static_cast<double>(i);
  return rank;
}

// Spearman's, of distinct values.
double rank_correlation(const Numbers& a, const Numbers& b) {
  const Numbers x = ranks(a);
  const Numbers y = ranks(b);
  const auto n = static_cast<double>(x.size());
  double squares = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) squares += (x[i] - y[i]) * (x[i] - y[i]);
  return 1.0 - 6.0 * squares / (n * (n * n - 1.0));
}

std::vector<std::size_t> best_places(const Numbers& values, std::size_t count) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  order.resize(std::min(order.size(), count));
  return order;
}

Numbers at(const Numbers& values, const std::vector<std::size_t>& places) {
  Numbers chosen;
  for (const std::size_t place : places) chosen.push_back(values[place]);
  return chosen;
}

struct Judged {
  std::size_t num_rows = 0;
  Numbers values;  // per row
  double seconds = 0.0;
};

struct Candidate {
  Expression kernel;
  Numbers parameters;
};

// The best of a search on few rows, and as many others.
std::vector<Candidate> candidates_of(const Dataset& data, const SearchOptions& options,
                                     std::size_t count) {
  const SearchResult found = search(data, options);
  std::vector<const SearchRecord*> ranked;
  for (const SearchRecord& record : found.history) {
    if (record.evidence.value) ranked.push_back(&record);
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const SearchRecord* a, const SearchRecord* b) {
    return *a->evidence.value > *b->evidence.value;
  });
  Random random(1);
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < std::min(count, ranked.size()); ++i) {
    candidates.push_back({ranked[i]->kernel, ranked[i]->evidence.parameters});
  }
  ranked.erase(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(candidates.size()));
  for (const std::size_t i : random.sample(ranked.size(), std::min(count, ranked.size()))) {
    candidates.push_back({ranked[i]->kernel, ranked[i]->evidence.parameters});
  }
  return candidates;
}

void run(const Dataset& data, std::size_t count, const std::vector<std::size_t>& rows) {
  SearchOptions options;
  options.evidence.transform = TargetTransform::none;
  options.fidelity = Fidelity::exact;
  options.average = Average::none;
  options.ensemble = 1;
  options.finalists = 1;
  const Dataset few = split_rows(data, {.rows = std::min(rows.front(), data.num_rows())}).training;
  std::vector<Candidate> candidates = candidates_of(few, options, count);

  std::vector<Judged> judged;
  for (const std::size_t num_rows : rows) {
    EvidenceOptions evidence = options.evidence;
    evidence.judged_rows = num_rows;
    evidence.starts = StartValues::known;
    const auto oracle = make_oracle(data, evidence);
    Judged one;
    std::vector<Candidate> fitted;
    for (const Candidate& candidate : candidates) {
      const Evidence found =
          oracle->evaluate(candidate.kernel, {{candidate.kernel, candidate.parameters}});
      one.num_rows = found.rows;
      one.seconds += found.seconds;
      one.values.push_back(found.value ? *found.value / static_cast<double>(found.rows) : -1e3);
      fitted.push_back({candidate.kernel, found.value ? found.parameters : candidate.parameters});
    }
    candidates = std::move(fitted);
    judged.push_back(std::move(one));
  }

  fmt::print("{} kernels\n\n| rows | CPU s a kernel |", candidates.size());
  for (const Judged& other : judged) fmt::print(" {} |", other.num_rows);
  fmt::print(" of the best ten |\n|---:|---:|");
  for (std::size_t i = 0; i <= judged.size(); ++i) fmt::print("---:|");
  fmt::print("\n");
  const Judged& last = judged.back();
  for (const Judged& one : judged) {
    fmt::print("| {} | {:.2f} |", one.num_rows,
               one.seconds / static_cast<double>(candidates.size()));
    for (const Judged& other : judged) {
      fmt::print(" {:.3f} |", rank_correlation(one.values, other.values));
    }
    const auto top = best_places(one.values, 10);
    fmt::print(" {:.3f} |\n", rank_correlation(at(one.values, top), at(last.values, top)));
  }
  const double best = *std::max_element(last.values.begin(), last.values.end());
  std::vector<std::size_t> kept(candidates.size());
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  std::size_t room = 10;
  for (std::size_t r = 0; r + 1 < judged.size(); ++r, room = 4) {
    std::vector<std::size_t> next;
    for (const std::size_t place : best_places(at(judged[r].values, kept), room)) {
      next.push_back(kept[place]);
    }
    kept = std::move(next);
  }
  const Numbers reached = at(last.values, kept);
  fmt::print("\nlost by promotion: {:.5f} nats a row of {}\n",
             best - *std::max_element(reached.begin(), reached.end()), last.num_rows);
}

}  // namespace
}  // namespace covary

int main(int argc, char** argv) {
  using namespace covary;
  if (argc < 6) {
    fmt::print(stderr, "usage: rungs_study DATA.csv TARGET KERNELS ROWS ROWS [ROWS ...]\n");
    return 2;
  }
  try {
    std::vector<std::size_t> rows;
    for (int i = 4; i < argc; ++i) rows.push_back(std::strtoull(argv[i], nullptr, 10));
    run(make_dataset(read_csv(argv[1]), {.target = argv[2]}), std::strtoull(argv[3], nullptr, 10),
        rows);
  } catch (const std::exception& error) {
    fmt::print(stderr, "rungs_study: {}\n", error.what());
    return 1;
  }
  return 0;
}
