// How often one fit ends at the top: random kernels of 1 to 10 base kernels of the default spaces,
// against the best log posterior ever seen of each.
//   top_benchmark fit FILE LABEL [--data DIR] [--set 1|2] [--kernels K] [--sizes A-B]
//                                [--restarts N] [--seed S] [--series NAME]
// fits K kernels of each size on each data set and adds a line for each to FILE: run it with other
// labels, seeds, restarts and builds, all on one FILE, for the best ever seen to be one.
//   top_benchmark table FILE
// prints how near each label came to it. Set 1 is there to choose by, set 2 to report on: they
// share neither kernels nor, but for the airline series, data.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <covary/covary.h>

namespace covary {
namespace {

constexpr double near_enough = 0.01;  // nats a row

struct Settings {
  std::string file;
  std::string label;
  std::string data = {};
  std::string series = {};
  std::uint64_t set = 1;
  std::size_t kernels = 3;
  std::size_t least_leaves = 1;
  std::size_t most_leaves = 10;
  EvidenceOptions evidence = {};
};

struct Series {
  std::string name;
  Dataset data;
};

// A trend, a season whose amplitude grows, a change of level and noise.
Dataset simulated(std::uint64_t set) {
  Random random(1000 + set);
  Column x;
  x.name = "x";
  Column y;
  y.name = "y";
  for (int i = 0; i < 120; ++i) {
    const double t = i / 119.0;
    const double phase = 2.0 * std::numbers::pi * t / (set == 1 ? 0.11 : 0.083);
    const double level = t > 0.6 ? 0.8 : 0.0;
    x.values.push_back(t);
    y.values.push_back(2.0 * t + level + (0.3 + t) * std::exp(std::sin(phase)) +
                       0.2 * random.normal());
  }
  Table table;
  table.columns = {x, y};
  table.num_rows = 120;
  return make_dataset(table, {.target = "y"});
}

std::vector<Series> all_series(const Settings& settings) {
  const bool is_first = settings.set == 1;
  std::vector<Series> all;
  all.push_back(
      {"airline", make_dataset(read_csv("examples/data/airline.csv"), {.target = "Passengers"})});
  all.push_back({"simulated", simulated(settings.set)});
  if (!settings.data.empty()) {
    const std::string monthly = is_first ? "M0612" : "M0694";
    all.push_back({monthly, make_dataset(read_csv(settings.data + "/m3/" + monthly + ".csv"),
                                         {.target = "y", .inputs = {"date"}})});
    const Dataset concrete =
        make_dataset(read_csv(settings.data + "/concrete.csv"), {.target = "strength"});
    all.push_back({"concrete", split_rows(concrete, {.rows = 150, .seed = settings.set}).training});
  }
  if (!settings.series.empty()) {
    std::erase_if(all, [&](const Series& one) { return one.name != settings.series; });
  }
  return all;
}

// Grown by random neighbours; only such as a search proposes, which none of fewer leaves describes.
Expression random_kernel(const Grammar& grammar, std::size_t num_leaves, Random& random) {
  for (;;) {
    Expression kernel = grammar.start_kernels()[random.index(grammar.start_kernels().size())];
    while (kernel.num_leaves() < num_leaves) kernel = *grammar.random_neighbour(kernel, random);
    if (shortest_form(kernel).num_leaves() == num_leaves) return kernel;
  }
}

void fit(const Settings& settings) {
  std::ofstream file(settings.file, std::ios::app);
  for (const Series& series : all_series(settings)) {
    const InputNames inputs = inputs_of(series.data);
    // Every second kernel without change points: those that searches end with have few.
    const Grammar whole(make_search_space({}, inputs));
    const Grammar plain(make_search_space({.operators = "+,*"}, inputs));
    const std::unique_ptr<Oracle> oracle = make_oracle(series.data, settings.evidence);
    for (std::size_t size = settings.least_leaves; size <= settings.most_leaves; ++size) {
      Random random(100 * settings.set + size);
      for (std::size_t k = 0; k < settings.kernels; ++k) {
        const Expression kernel = random_kernel(k % 2 == 0 ? whole : plain, size, random);
        const Evidence evidence = oracle->evaluate(kernel);
        file << fmt::format("{};{};{};{};{};{:.6f};{:.6f};{:.5f};{};{}\n", settings.label,
                            series.name, series.data.num_rows(), size, to_string(kernel, inputs),
                            evidence.value ? evidence.log_posterior : -1e300,
                            evidence.value.value_or(-1e300), evidence.seconds,
                            evidence.value_evaluations, evidence.gradient_evaluations);
        file.flush();
      }
    }
  }
}

struct Fit {
  std::string label;
  std::string series;
  std::string kernel;
  std::size_t num_rows = 0;
  std::size_t size = 0;
  double log_posterior = 0.0;
  double seconds = 0.0;
};

std::vector<Fit> read_fits(const std::string& path) {
  std::ifstream file(path);
  std::vector<Fit> fits;
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::vector<std::string> parts;
    std::string part;
    while (std::getline(cells, part, ';')) parts.push_back(part);
    fits.push_back({parts.at(0), parts.at(1), parts.at(4), std::stoul(parts.at(2)),
                    std::stoul(parts.at(3)), std::stod(parts.at(5)), std::stod(parts.at(7))});
  }
  return fits;
}

struct Summary {
  std::vector<double> shortfalls;  // nats a row
  double seconds = 0.0;
};

void print_summary(const std::string& label, const std::string& what, Summary summary) {
  std::sort(summary.shortfalls.begin(), summary.shortfalls.end());
  const auto count = static_cast<double>(summary.shortfalls.size());
  const auto num_near = std::count_if(summary.shortfalls.begin(), summary.shortfalls.end(),
                                      [](double shortfall) { return shortfall <= near_enough; });
  double sum = 0.0;
  for (const double shortfall : summary.shortfalls) sum += shortfall;
  fmt::print("| {} | {} | {} | {:.0f} % | {:.4f} | {:.4f} | {:.4f} | {:.3f} |\n", label, what,
             count, 100.0 * static_cast<double>(num_near) / count,
             summary.shortfalls[summary.shortfalls.size() / 2], sum / count,
             summary.shortfalls.back(), summary.seconds / count);
}

std::string size_class(std::size_t size) { return size <= 2 ? "1-2" : size <= 5 ? "3-5" : "6-10"; }

void table(const std::string& path) {
  const std::vector<Fit> fits = read_fits(path);
  std::map<std::pair<std::string, std::string>, double> best;
  for (const Fit& fit : fits) {
    double& top = best.try_emplace({fit.series, fit.kernel}, fit.log_posterior).first->second;
    top = std::max(top, fit.log_posterior);
  }
  std::vector<std::string> labels;
  std::map<std::pair<std::string, std::string>, Summary> summaries;
  for (const Fit& fit : fits) {
    if (std::find(labels.begin(), labels.end(), fit.label) == labels.end()) {
      labels.push_back(fit.label);
    }
    const double shortfall =
        (best.at({fit.series, fit.kernel}) - fit.log_posterior) / static_cast<double>(fit.num_rows);
    for (const std::string& part : {size_class(fit.size), fit.series, std::string("all")}) {
      Summary& summary = summaries[{part, fit.label}];
      summary.shortfalls.push_back(shortfall);
      summary.seconds += fit.seconds;
    }
  }
  fmt::print("| fit | kernels | fits | within {} | median | mean | worst shortfall | CPU s |\n",
             near_enough);
  fmt::print("|---|---|---:|---:|---:|---:|---:|---:|\n");
  for (const std::string& label : labels) {
    for (const auto& [key, summary] : summaries) {
      if (key.second == label) print_summary(label, key.first, summary);
    }
  }
}

void read_setting(const std::string& name, const std::string& value, Settings& settings) {
  if (name == "--data") {
    settings.data = value;
  } else if (name == "--series") {
    settings.series = value;
  } else if (name == "--set") {
    settings.set = std::stoul(value);
  } else if (name == "--kernels") {
    settings.kernels = std::stoul(value);
  } else if (name == "--sizes") {
    settings.least_leaves = std::stoul(value);
    settings.most_leaves = std::stoul(value.substr(value.find('-') + 1));
  } else if (name == "--restarts") {
    settings.evidence.restarts = std::stoul(value);
  } else if (name == "--seed") {
    settings.evidence.seed = std::stoul(value);
  } else {
    throw Error(ErrorKind::usage, fmt::format("there is no option {}", name));
  }
}

}  // namespace
}  // namespace covary

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const bool is_table = words.size() == 2 && words[0] == "table";
  const bool is_fit = words.size() >= 3 && words.size() % 2 == 1 && words[0] == "fit";
  if (!is_table && !is_fit) {
    fmt::print(stderr,
               "usage: top_benchmark fit FILE LABEL [OPTION VALUE ...]\n"
               "       top_benchmark table FILE\n");
    return 2;
  }
  try {
    if (is_table) {
      covary::table(words[1]);
    } else {
      covary::Settings settings{.file = words[1], .label = words[2]};
      for (std::size_t i = 3; i < words.size(); i += 2) {
        covary::read_setting(words[i], words[i + 1], settings);
      }
      covary::fit(settings);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}
