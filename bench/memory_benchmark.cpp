// The peak of memory of one evaluation, and of a whole search with its report, in units of one Gram
// matrix (8 n² bytes). Each is measured in a child process of its own, less what that process had
// before, since a peak never goes down.
//   memory_benchmark [ROWS]
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <covary/covary.h>

#include "evidence/memory.h"

namespace covary {
namespace {

double peak_bytes() {
  rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return 1024.0 * static_cast<double>(usage.ru_maxrss);
}

Dataset make_data(std::size_t num_rows) {
  Random random(1);
  std::vector<std::vector<double>> inputs(2);
  std::vector<double> target;
  for (std::size_t i = 0; i < num_rows; ++i) {
    for (auto& column : inputs) column.push_back(random.uniform());
    target.push_back(std::sin(6.0 * inputs[0][i]) + inputs[1][i] + 0.1 * random.normal());
  }
  return {std::move(inputs), std::move(target), {{"a"}, {"b"}}, {"y"}, "", {}};
}

// In the child: prints a row of the table and gives its exit status.
int measure(const Dataset& data, const std::string& text, Criterion criterion) {
  const InputNames names = inputs_of(data);
  EvidenceOptions options;
  options.criterion = criterion;
  options.restarts = 1;
  // The same matrices are used again and again, in cross-validation for ten folds.
  options.max_iterations = criterion == Criterion::cv ? 1 : 3;
  const double before = peak_bytes();
  const Evidence evidence = make_oracle(data, options)->evaluate(parse_expression(text, names));
  const double matrix_bytes = 8.0 * std::pow(static_cast<double>(data.num_rows()), 2.0);
  const double grown = peak_bytes() - before;
  if (!evidence.value) {
    fmt::print(stderr, "{}: {}\n", text, evidence.message);
    return 1;
  }
  fmt::print("| {} | {} | {} | {:.0f} | {:.2f} | {:.2f} |\n", data.num_rows(), text,
             to_string(criterion), grown / 1e6, grown / matrix_bytes,
             evaluation_bytes(data.num_rows()) / matrix_bytes);
  return 0;
}

// As `covary search` does it, with all cores; few fits, each of few steps.
int measure_search(const Dataset& data) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("covary-memory-{}", getpid());
  SearchOptions options;
  options.space.space = "paper-large";
  options.max_evaluations = 6;
  options.finalists = 2;
  options.evidence.restarts = 1;
  options.evidence.max_iterations = 1;
  const double before = peak_bytes();
  const SearchResult result = search_in_folder(data, options, {.folder = folder, .force = true});
  const double searched = peak_bytes() - before;
  save_report(make_report(folder, result.ensemble), folder / "report.html");
  const double grown = peak_bytes() - before;
  std::filesystem::remove_all(folder);
  const double matrix_bytes = 8.0 * std::pow(static_cast<double>(data.num_rows()), 2.0);
  fmt::print("| {} | search of {} threads | evidence | {:.0f} | {:.2f} | |\n", data.num_rows(),
             options.threads, searched / 1e6, searched / matrix_bytes);
  fmt::print("| {} | with its report | evidence | {:.0f} | {:.2f} | |\n", data.num_rows(),
             grown / 1e6, grown / matrix_bytes);
  return 0;
}

// Of a model of four parts, with the effects that a report shows.
int measure_explanation(const Dataset& data) {
  const InputNames names = inputs_of(data);
  const double before = peak_bytes();
  const FittedModel model(parse_expression("SE_1 + SE_2*RQ_2 + PER_1 + LIN_2", names),
                          {0.2, 1.0, 0.5, 1.0, 0.4, 1.0, 1.0, 0.8, 0.3, 0.2, 0.5, 0.1, 0.01}, data);
  const Explanation explanation = explain(model);
  static_cast<void>(Effects(explanation.decomposition).interactions());
  const double grown = peak_bytes() - before;
  const double matrix_bytes = 8.0 * std::pow(static_cast<double>(data.num_rows()), 2.0);
  fmt::print("| {} | explanation of {} parts | | {:.0f} | {:.2f} | {:.2f} |\n", data.num_rows(),
             explanation.components.size(), grown / 1e6, grown / matrix_bytes,
             report_bytes(data.num_rows()) / matrix_bytes);
  return 0;
}

bool measure_in_child(const std::function<int()>& measure_it) {
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const int status = measure_it();
    std::fflush(stdout);
    _exit(status);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

bool run(std::size_t num_rows) {
  const Dataset data = make_data(num_rows);
  fmt::print("| rows | kernel | criterion | peak (MB) | Gram matrices | reckoned with |\n");
  fmt::print("|---:|---|---|---:|---:|---:|\n");
  bool succeeded = true;
  const std::string large = "SE_1 + RQ_2*SE_2 + PER_1";  // as much is kept for it as ever is
  succeeded =
      measure_in_child([&] { return measure(data, "SE_1", Criterion::evidence); }) && succeeded;
  for (const Criterion criterion : {Criterion::evidence, Criterion::loo, Criterion::cv}) {
    succeeded = measure_in_child([&] { return measure(data, large, criterion); }) && succeeded;
  }
  succeeded = measure_in_child([&] { return measure_explanation(data); }) && succeeded;
  succeeded = measure_in_child([&] { return measure_search(data); }) && succeeded;
  return succeeded;
}

}  // namespace
}  // namespace covary

int main(int argc, char** argv) {
  try {
    return covary::run(argc > 1 ? std::stoul(argv[1]) : 4000) ? EXIT_SUCCESS : EXIT_FAILURE;
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return EXIT_FAILURE;
  }
}
