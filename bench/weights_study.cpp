// How the kernels of a table's model should be weighed: rules compared by the log score of rows
// that were not trained on.
//   weights_study ROWS SPLITS TABLE.csv ...
// A table's last column is its target (a column `fold` aside). Each split trains on so many rows
// drawn at random and predicts up to 400 others. Candidates are what a default search of the split
// averages over: its finalists and the sentences that it began with, at their best parameters.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <covary/covary.h>

#include "evidence/stacking.h"

namespace covary {
namespace {

constexpr std::size_t most_test_rows = 400;

struct Candidates {
  std::size_t num_finalists = 0;            // the first ones, the best first
  std::vector<double> log_evidence;         // of each
  std::vector<std::vector<double>> unseen;  // log density of each training row left out
  std::vector<std::vector<double>> test;    // log density of each test row
};

double value_of(const FittedModel& model, const SearchResult& result) {
  for (const Finalist& finalist : result.finalists) {
    if (same_tree(finalist.kernel, model.kernel())) return *finalist.evidence.value;
  }
  for (const SearchRecord& record : result.history) {
    if (same_tree(record.kernel, model.kernel())) return *record.evidence.value;
  }
  throw Error(ErrorKind::bad_data, "a member is of a kernel that was not evaluated");
}

Candidates candidates_of(const Dataset& train, const Dataset& test) {
  SearchOptions options;
  options.average = Average::none;
  const SearchResult result = search(train, options);
  Candidates candidates;
  std::vector<FittedModel> models = result.ensemble.members();
  const auto is_finalist = [&](const FittedModel& model) {
    return std::any_of(
        result.finalists.begin(), result.finalists.end(),
        [&](const Finalist& finalist) { return same_tree(finalist.kernel, model.kernel()); });
  };
  const auto others = std::stable_partition(models.begin(), models.end(), is_finalist);
  candidates.num_finalists = static_cast<std::size_t>(others - models.begin());
  for (const FittedModel& model : models) {
    candidates.log_evidence.push_back(value_of(model, result));
    candidates.unseen.push_back(model.leave_one_out_log_density());
    const Prediction prediction = model.predict_rows(test);
    std::vector<double>& densities = candidates.test.emplace_back();
    for (std::size_t i = 0; i < test.num_rows(); ++i) {
      const double y = test.target_scaling().to_raw(test.target()[i]);
      densities.push_back(log_density(prediction, i, y) +
                          std::log(train.target_scaling().raw_factor()));
    }
  }
  return candidates;
}

std::vector<double> proportional_to_exp(std::vector<double> values) {
  const double largest = *std::max_element(values.begin(), values.end());
  double sum = 0.0;
  for (double& value : values) sum += value = std::exp(value - largest);
  for (double& value : values) value /= sum;
  return values;
}

std::vector<double> tempered(const Candidates& candidates, double power, std::size_t count) {
  std::vector<double> values(candidates.log_evidence.begin(),
                             candidates.log_evidence.begin() + static_cast<std::ptrdiff_t>(count));
  for (double& value : values) value *= power;
  return proportional_to_exp(std::move(values));
}

double log_score(const Candidates& candidates, const std::vector<double>& weights) {
  double sum = 0.0;
  const std::size_t num_rows = candidates.test.front().size();
  for (std::size_t row = 0; row < num_rows; ++row) {
    double density = 0.0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      density += weights[k] * std::exp(candidates.test[k][row]);
    }
    sum += std::log(density);
  }
  return sum / static_cast<double>(num_rows);
}

struct Rule {
  std::string name;
  std::function<std::vector<double>(const Candidates&)> weights;
};

std::vector<Rule> rules() {
  const auto all = [](const Candidates& of) { return of.test.size(); };
  return {
      {"the best kernel", [](const Candidates&) { return std::vector<double>{1.0}; }},
      {"finalists by evidence",
       [](const Candidates& of) { return tempered(of, 1.0, of.num_finalists); }},
      {"finalists stacked",
       [](const Candidates& of) {
         const auto end = of.unseen.begin() + static_cast<std::ptrdiff_t>(of.num_finalists);
         return stacked_weights({of.unseen.begin(), end});
       }},
      {"all by evidence", [=](const Candidates& of) { return tempered(of, 1.0, all(of)); }},
      {"all by its fourth root", [=](const Candidates& of) { return tempered(of, 0.25, all(of)); }},
      {"all alike", [=](const Candidates& of) { return tempered(of, 0.0, all(of)); }},
      {"all stacked", [](const Candidates& of) { return stacked_weights(of.unseen); }},
  };
}

std::string target_of(const Table& table) {
  std::string target;
  for (const Column& column : table.columns) {
    if (column.name != "fold") target = column.name;
  }
  return target;
}

void study(const std::string& path, std::size_t num_rows, std::size_t num_splits) {
  const Table table = read_csv(path);
  DatasetOptions options{.target = target_of(table)};
  for (const Column& column : table.columns) {
    if (column.name != "fold" && column.name != options.target) {
      options.inputs.push_back(column.name);
    }
  }
  const Dataset whole = make_dataset(table, options);
  const std::size_t most = whole.num_rows() * 17 / 20;
  const std::size_t size = std::min(num_rows, most);
  const std::vector<Rule> all = rules();
  std::vector<std::vector<double>> scores(all.size());
  for (std::size_t seed = 1; seed <= num_splits; ++seed) {
    const Split split = split_rows(
        whole,
        {.rows = size, .holdout = std::min(most_test_rows, whole.num_rows() - size), .seed = seed});
    const Candidates candidates = candidates_of(split.training, *split.holdout);
    for (std::size_t r = 0; r < all.size(); ++r) {
      scores[r].push_back(log_score(candidates, all[r].weights(candidates)));
    }
  }
  fmt::print("{}: {} rows, {} splits; mean log score, and by how much the last rule is better\n",
             path, size, num_splits);
  for (std::size_t r = 0; r < all.size(); ++r) {
    double mean = 0.0;
    double gain = 0.0;
    double squares = 0.0;
    const auto n = static_cast<double>(num_splits);
    for (std::size_t s = 0; s < num_splits; ++s) {
      const double difference = scores.back()[s] - scores[r][s];
      mean += scores[r][s] / n;
      gain += difference / n;
      squares += difference * difference / n;
    }
    const double error = std::sqrt(std::max(squares - gain * gain, 0.0) / std::max(n - 1.0, 1.0));
    fmt::print("  {:24} {:8.3f}  {:+.3f} ± {:.3f}\n", all[r].name, mean, gain, error);
  }
  std::fflush(stdout);
}

}  // namespace
}  // namespace covary

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "weights_study ROWS SPLITS TABLE.csv ...\n");
    return 64;
  }
  try {
    for (int i = 3; i < argc; ++i) {
      covary::study(argv[i], std::strtoul(argv[1], nullptr, 10),
                    std::strtoul(argv[2], nullptr, 10));
    }
  } catch (const covary::Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
