// Whole searches at equal CPU time and at equal evaluations: default, paper and random in SPACE;
// and what version 0.1 could say in SPACE (before) against what is offered today (now), whatever
// SPACE is. All have the paper's priors, and the best kernel of each is fitted anew with them,
// under the search's transform: one convention for all, the consistent Laplace evidence.
//   search_benchmark DATA.csv TARGET SPACE ROWS [SEEDS] [METHOD ...]
// The first method does the evaluations of a usual search. The others do as many, and go on until
// they have had as much CPU time. Prints a line per search, then a table of medians and quartiles.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <ctime>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <covary/covary.h>

namespace covary {
namespace {

double process_cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

double cpu_seconds_of(const SearchRecord& record) {
  return record.evidence.seconds + record.acquisition_seconds;
}

// Ends a search once it has done so many evaluations and had so much CPU time.
class Allowance : public SearchObserver {
 public:
  Allowance(std::size_t evaluations, double seconds)
      : evaluations_(evaluations), seconds_(seconds) {}

  void starting(std::size_t, std::size_t) override { start_ = process_cpu_seconds(); }

  void recorded(const SearchRecord& record, const SearchRecord*) override {
    if (record.index == 0) {
      seconds_before = process_cpu_seconds() - start_ - cpu_seconds_of(record);
      spent_ = seconds_before;
    }
    spent_ += cpu_seconds_of(record);
    if (record.index + 1 >= evaluations_ && spent_ >= seconds_) is_spent = true;
  }

  std::atomic<bool> is_spent = false;
  // What came before the first evaluation: choosing the target's transform, where that is open. No
  // record has it in its time.
  double seconds_before = 0.0;

 private:
  std::size_t evaluations_;
  double seconds_;
  double start_ = 0.0;
  double spent_ = 0.0;
};

SearchOptions options_of(const std::string& method, const std::string& space) {
  SearchOptions options = method == "paper" ? SearchOptions::paper() : SearchOptions{};
  options.evidence.priors = Priors::paper;
  options.threads = 1;
  options.finalists = 1;
  if (method == "now") return options;
  options.space.space = space;
  options.evidence.transform = TargetTransform::none;
  if (method == "before") {
    options.space.operators = "+,*";
    options.unique = Uniqueness::tree;
  } else if (method == "random") {
    options.method = SearchMethod::random;
  } else if (method != "default" && method != "paper") {
    throw Error(ErrorKind::usage, fmt::format("there is no method {}", method));
  }
  return options;
}

// Fits kernels anew, each under the transform of the target that it was found with.
class Judge {
 public:
  explicit Judge(const Dataset& data) : data_(data) {}

  // The evidence per row; very low without a record, or where the fit failed.
  double value_per_row(const SearchRecord* record) {
    constexpr double none = -1e300;
    if (record == nullptr) return none;
    const TargetTransform transform = record->evidence.transform;
    const auto [known, is_new] =
        values_.emplace(std::pair(transform, tree_key(record->kernel)), none);
    if (!is_new) return known->second;
    const Evidence evidence = oracle_of(transform).evaluate(
        record->kernel, {{record->kernel, record->evidence.parameters}});
    if (evidence.value) known->second = *evidence.value / static_cast<double>(data_.num_rows());
    return known->second;
  }

 private:
  const Oracle& oracle_of(TargetTransform transform) {
    std::unique_ptr<Oracle>& oracle = oracles_[transform];
    if (oracle == nullptr) {
      EvidenceOptions options;
      options.priors = Priors::paper;
      options.transform = transform;
      options.restarts = 64;
      oracle = make_oracle(data_, options);
    }
    return *oracle;
  }

  const Dataset& data_;
  std::map<TargetTransform, std::unique_ptr<Oracle>> oracles_;
  std::map<std::pair<TargetTransform, std::string>, double> values_;
};

// The best kernel after so much CPU time, or so many evaluations; null if there is none yet.
const SearchRecord* best_after(const std::vector<SearchRecord>& history, double seconds_before,
                               double seconds, std::size_t evaluations) {
  const SearchRecord* best = nullptr;
  double spent = seconds_before;
  for (const SearchRecord& record : history) {
    spent += cpu_seconds_of(record);
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

// "SE + LIN", or "log: SE + LIN" of a transformed target.
std::string shown(const SearchRecord* record) {
  if (record == nullptr) return "";
  const TargetTransform transform = record->evidence.transform;
  const std::string before =
      transform == TargetTransform::none ? "" : fmt::format("{}: ", to_string(transform));
  return before + to_string(record->kernel);
}

void run(const std::string& path, const std::string& target, const std::string& space,
         std::size_t most_rows, std::size_t num_seeds, const std::vector<std::string>& methods) {
  const Dataset whole = make_dataset(read_csv(path), {.target = target});
  const std::size_t rows = std::min(most_rows, whole.num_rows());  // all of them: in their order
  struct Figures {
    std::vector<double> at_equal_time, at_equal_evaluations, cpu_seconds, ratio;
  };
  std::map<std::string, Figures> figures;
  for (std::uint64_t seed = 1; seed <= num_seeds; ++seed) {
    const Dataset data = split_rows(whole, {.rows = rows, .seed = seed}).training;
    Judge judge(data);
    std::size_t evaluations = 0;
    double seconds = 0.0;
    for (const std::string& method : methods) {
      SearchOptions options = options_of(method, space);
      options.seed = seed;
      const SearchSpace searched = make_search_space(options.space, inputs_of(data));
      if (evaluations == 0) evaluations = num_usual_evaluations(searched);
      options.max_evaluations = seconds == 0.0 ? evaluations : 100 * evaluations;
      Allowance allowance(evaluations, seconds);
      const SearchResult result = search(data, options, {&allowance}, &allowance.is_spent);
      double oracle_seconds = 0.0;
      double acquisition_seconds = 0.0;
      for (const SearchRecord& record : result.history) {
        if (record.index >= evaluations) break;
        oracle_seconds += record.evidence.seconds;
        acquisition_seconds += record.acquisition_seconds;
      }
      const double equal_evaluations_seconds =
          allowance.seconds_before + oracle_seconds + acquisition_seconds;
      if (seconds == 0.0) seconds = equal_evaluations_seconds;
      Figures& f = figures[method];
      const SearchRecord* at_time =
          best_after(result.history, allowance.seconds_before, seconds * (1.0 + 1e-9), 1000000);
      const SearchRecord* at_evaluations = best_after(result.history, 0.0, 1e300, evaluations);
      f.at_equal_time.push_back(judge.value_per_row(at_time));
      f.at_equal_evaluations.push_back(judge.value_per_row(at_evaluations));
      f.cpu_seconds.push_back(equal_evaluations_seconds);
      f.ratio.push_back(acquisition_seconds / oracle_seconds);
      fmt::print(
          "seed {} {}: {:.4f} after {:.1f} s, {:.4f} after {} evaluations and {:.1f} s: {}\n", seed,
          method, f.at_equal_time.back(), seconds, f.at_equal_evaluations.back(), evaluations,
          equal_evaluations_seconds, shown(at_evaluations));
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
