// Whole searches: default, paper and random, at equal CPU time and at equal evaluations. Values of
// the best kernel are compared in one convention: the consistent Laplace evidence, fitted anew.
//   search_benchmark DATA.csv TARGET SPACE ROWS [SEEDS] [METHOD ...]
// Prints one line per search as it ends, then a table with medians and quartiles.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <covary/covary.h>

namespace covary {
namespace {

struct Searched {
  std::vector<SearchRecord> history;
  double oracle_seconds = 0.0;
  double acquisition_seconds = 0.0;
};

SearchOptions options_of(const std::string& method) {
  SearchOptions options = method == "paper" ? SearchOptions::paper() : SearchOptions{};
  if (method == "random") options.method = SearchMethod::random;
  options.threads = 1;
  options.finalists = 1;
  return options;
}

// The best kernel after so much CPU time, or so many evaluations; null if there is none yet.
const SearchRecord* best_after(const Searched& searched, double seconds, std::size_t evaluations) {
  const SearchRecord* best = nullptr;
  double spent = 0.0;
  for (const SearchRecord& record : searched.history) {
    spent += record.evidence.seconds + record.acquisition_seconds;
    if (spent > seconds || record.index >= evaluations) break;
    if (!record.evidence.value) continue;
    if (best == nullptr || *record.evidence.value > *best->evidence.value) best = &record;
  }
  return best;
}

double quantile(std::vector<double> values, double p) {
  std::sort(values.begin(), values.end());
  const double place = p * static_cast<double>(values.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, values.size() - 1);
  return values[low] + (place - static_cast<double>(low)) * (values[high] - values[low]);
}

std::string quartiles(const std::vector<double>& values) {
  return fmt::format("{:.4f} ({:.4f} to {:.4f})", quantile(values, 0.5), quantile(values, 0.25),
                     quantile(values, 0.75));
}

void run(const std::string& path, const std::string& target, const std::string& space,
         std::size_t rows, std::size_t num_seeds, const std::vector<std::string>& methods) {
  const Dataset whole = make_dataset(read_csv(path), {.target = target});
  struct Figures {
    std::vector<double> at_equal_time, at_equal_evaluations, cpu_seconds, ratio;
  };
  std::map<std::string, Figures> figures;
  for (std::uint64_t seed = 1; seed <= num_seeds; ++seed) {
    const Dataset data = split_rows(whole, {.rows = rows, .seed = seed}).training;
    const auto n = static_cast<double>(data.num_rows());
    EvidenceOptions one_convention;
    one_convention.restarts = 64;
    const auto judge = make_oracle(data, one_convention);
    std::map<std::string, double> judged;
    const auto value_of = [&](const SearchRecord* record) {
      if (record == nullptr) return -1e300;
      const auto [known, is_new] = judged.emplace(tree_key(record->kernel), 0.0);
      if (is_new) known->second = judge->evaluate(record->kernel).value.value_or(-1e300) / n;
      return known->second;
    };
    std::map<std::string, Searched> searched;
    double least_seconds = 1e300;
    for (const std::string& method : methods) {
      SearchOptions options = options_of(method);
      options.space.space = space;
      options.seed = seed;
      const SearchResult result = search(data, options);
      const double seconds = result.oracle_seconds + result.acquisition_seconds;
      least_seconds = std::min(least_seconds, seconds);
      searched[method] = {result.history, result.oracle_seconds, result.acquisition_seconds};
    }
    for (const std::string& method : methods) {
      const Searched& s = searched[method];
      const double seconds = s.oracle_seconds + s.acquisition_seconds;
      Figures& f = figures[method];
      const SearchRecord* last = best_after(s, 1e300, s.history.size());
      f.at_equal_time.push_back(value_of(best_after(s, least_seconds * (1.0 + 1e-9), 100000)));
      f.at_equal_evaluations.push_back(value_of(last));
      f.cpu_seconds.push_back(seconds);
      f.ratio.push_back(s.acquisition_seconds / s.oracle_seconds);
      fmt::print(
          "seed {} {}: {:.4f} after {:.1f} s, {:.4f} after {} evaluations and {:.1f} s: {}\n", seed,
          method, f.at_equal_time.back(), least_seconds, f.at_equal_evaluations.back(),
          s.history.size(), seconds, last != nullptr ? to_string(last->kernel) : "");
      std::fflush(stdout);
    }
  }
  fmt::print(
      "\n{} of {}, {} rows, {}, {} seeds: median (quartiles) of the best evidence per row\n\n",
      target, path.substr(path.rfind('/') + 1), rows, space, num_seeds);
  fmt::print(
      "| search | at equal CPU time | at equal evaluations | CPU s | acquisition / oracle |\n");
  fmt::print("|---|---:|---:|---:|---:|\n");
  for (const std::string& method : methods) {
    const Figures& f = figures[method];
    fmt::print("| {} | {} | {} | {:.1f} | {:.4f} |\n", method, quartiles(f.at_equal_time),
               quartiles(f.at_equal_evaluations), quantile(f.cpu_seconds, 0.5),
               quantile(f.ratio, 0.5));
  }
}

}  // namespace
}  // namespace covary

int main(int argc, char** argv) {
  if (argc < 5) {
    fmt::print(stderr, "usage: search_benchmark DATA.csv TARGET SPACE ROWS [SEEDS] [METHOD ...]\n");
    return 2;
  }
  try {
    std::vector<std::string> methods(argv + std::min(argc, 6), argv + argc);
    if (methods.empty()) methods = {"default", "paper", "random"};
    covary::run(argv[1], argv[2], argv[3], std::stoul(argv[4]), argc > 5 ? std::stoul(argv[5]) : 5,
                methods);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
