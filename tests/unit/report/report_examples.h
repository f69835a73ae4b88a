#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <covary/report.h>

namespace covary {

// A table of `num_inputs` inputs whose names are given first, the target's last.
inline Dataset example_table(const std::vector<std::string>& names, std::size_t num_rows,
                             ColumnType type = ColumnType::number) {
  const std::size_t num_inputs = names.size() - 1;
  Random random(5);
  std::vector<std::vector<double>> inputs(num_inputs);
  std::vector<double> target;
  for (std::size_t i = 0; i < num_rows; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(num_rows - 1);
    for (std::size_t c = 0; c < num_inputs; ++c) inputs[c].push_back(c == 0 ? t : random.uniform());
    const double second = num_inputs > 1 ? inputs[1][i] : 0.0;
    target.push_back(2.0 * t - 1.0 + 0.5 * std::sin(25.0 * t) + second * t + 0.1 * random.normal());
  }
  std::vector<Scaling> scalings;
  for (std::size_t c = 0; c < num_inputs; ++c) {
    scalings.push_back({.name = names[c], .type = type, .offset = 100.0, .factor = 50.0});
  }
  return {inputs,
          target,
          scalings,
          Scaling{.name = names.back(), .offset = 10.0, .factor = 4.0},
          std::string(32, '7'),
          {}};
}

inline FittedModel example_model(const std::string& kernel, const Dataset& data) {
  const Expression expression = parse_expression(kernel, InputNames(data.input_names()));
  std::vector<double> parameters(expression.num_parameters() + 1, 0.4);
  parameters.back() = 0.01;
  return {expression, parameters, data};
}

// What a search would have given, without one.
inline SearchResult example_result(const FittedModel& model) {
  const InputNames inputs(model.data().input_names());
  SearchResult result{.kernel = model.kernel_text(),
                      .model = model,
                      .ensemble = model,
                      .value = 12.0,
                      .value_per_row = 0.1,
                      .finalists = {},
                      .history = {},
                      .end = SearchEnd::max_evaluations,
                      .seed = 4,
                      .failed_evaluations = 1,
                      .seconds = 3.0,
                      .oracle_seconds = 2.0,
                      .acquisition_seconds = 0.5};
  for (std::size_t i = 0; i < 6; ++i) {
    SearchRecord record{.index = i, .kernel = model.kernel(), .evidence = {}};
    if (i != 3) record.evidence.value = static_cast<double>(i) * 2.0;
    record.evidence.outcome = i == 3 ? FitOutcome::not_positive_definite : FitOutcome::converged;
    record.is_initial = i < 2;
    record.wall_seconds = 0.5 * static_cast<double>(i + 1);
    if (i >= 2) record.weights = {0.5, 0.3, 0.2};
    result.history.push_back(record);
  }
  Evidence best;
  best.value = 12.0;
  Evidence second;
  second.value = 12.0 - std::log(3.0);
  result.finalists = {{model.kernel(), best}, {model.kernel(), second}};
  return result;
}

inline ReportModel example_report(const std::string& kernel, const Dataset& data) {
  return make_report(example_result(example_model(kernel, data)), {}, {.num_draws = 20});
}

}  // namespace covary
