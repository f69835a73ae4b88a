// Whole searches: default, paper and random, at equal CPU time and at equal evaluations. Values of
// the best kernel are compared in one convention: the consistent Laplace evidence, fitted anew.
//   search_benchmark DATA.csv TARGET SPACE ROWS [SEEDS] [METHOD ...]
// The first method does the evaluations of a usual search. The others do as many, and go on until
// they have had as much CPU time. Prints one line per search as it ends, then a table with medians
// and quartiles.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <covary/covary.h>

namespace covary {
namespace {

// Ends a search once it has done so many evaluations and had so much CPU time.
class Allowance : public SearchObserver {
 public:
  Allowance(std::size_t evaluations, double seconds)
      : evaluations_(evaluations), seconds_(seconds) {}

  void recorded(const SearchRecord& record, const SearchRecord*) override {
    spent_ += record.evidence.seconds + record.acquisition_seconds;
    if (record.index + 1 >= evaluations_ && spent_ >= seconds_) is_spent = true;
  }

  std::atomic<bool> is_spent = false;

 private:
  std::size_t evaluations_;
  double seconds_;
  double spent_ = 0.0;
};

SearchOptions options_of(const std::string& method) {
  SearchOptions options = method == "paper" ? SearchOptions::paper() : SearchOptions{};
  options.evidence.transform = TargetTransform::none;  // kernels are compared
  if (method == "random") options.method = SearchMethod::random;
  options.threads = 1;
  options.finalists = 1;
  return options;
}

// The best kernel after so much CPU time, or so many evaluations; null if there is none yet.
const SearchRecord* best_after(const std::vector<SearchRecord>& history, double seconds,
                               std::size_t evaluations) {
  const SearchRecord* best = nullptr;
  double spent = 0.0;
  for (const SearchRecord& record : history) {
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
      if (is_new) {
        const Evidence evidence =
            judge->evaluate(record->kernel, {{record->kernel, record->evidence.parameters}});
        known->second = evidence.value.value_or(-1e300) / n;
      }
      return known->second;
    };
    std::size_t evaluations = 0;
    double seconds = 0.0;
    for (const std::string& method : methods) {
      SearchOptions options = options_of(method);
      options.space.space = space;
      options.seed = seed;
      const SearchSpace searched = make_search_space(options.space, inputs_of(data));
      if (evaluations == 0) evaluations = num_planned_evaluations(options, searched);
      options.max_evaluations = seconds == 0.0 ? evaluations : 100 * evaluations;
      Allowance allowance(evaluations, seconds);
      const SearchResult result = search(data, options, {&allowance}, &allowance.is_spent);
      double equal_evaluations_seconds = 0.0;
      double oracle_seconds = 0.0;
      for (const SearchRecord& record : result.history) {
        if (record.index >= evaluations) break;
        oracle_seconds += record.evidence.seconds;
        equal_evaluations_seconds += record.evidence.seconds + record.acquisition_seconds;
      }
      if (seconds == 0.0) seconds = equal_evaluations_seconds;
      Figures& f = figures[method];
      const SearchRecord* at_time = best_after(result.history, seconds * (1.0 + 1e-9), 1000000);
      const SearchRecord* at_evaluations = best_after(result.history, 1e300, evaluations);
      f.at_equal_time.push_back(value_of(at_time));
      f.at_equal_evaluations.push_back(value_of(at_evaluations));
      f.cpu_seconds.push_back(equal_evaluations_seconds);
      f.ratio.push_back(equal_evaluations_seconds / oracle_seconds - 1.0);
      fmt::print(
          "seed {} {}: {:.4f} after {:.1f} s, {:.4f} after {} evaluations and {:.1f} s: {}\n", seed,
          method, f.at_equal_time.back(), seconds, f.at_equal_evaluations.back(), evaluations,
          equal_evaluations_seconds,
          at_evaluations != nullptr ? to_string(at_evaluations->kernel) : "");
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
