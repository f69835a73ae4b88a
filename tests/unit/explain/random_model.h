#pragma once

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <covary/covary.h>

#include "covariance/parameter_space.h"
#include "unit/random_expression.h"

namespace covary {

// A table in raw units: inputs far from [0, 1], a target with an offset.
inline Dataset random_dataset(std::size_t num_rows, std::size_t num_inputs, Random& random) {
  std::string text;
  for (std::size_t c = 0; c < num_inputs; ++c) text += fmt::format("x{},", c);
  text += "y\n";
  for (std::size_t i = 0; i < num_rows; ++i) {
    double y = 100.0;
    for (std::size_t c = 0; c < num_inputs; ++c) {
      const double x = 30.0 * random.uniform();
      y += std::sin(x) + 0.3 * x;
      text += fmt::format("{},", 200.0 + x);
    }
    text += fmt::format("{}\n", y + 0.3 * random.normal());
  }
  return make_dataset(read_csv_text(text, "random.csv"), {.target = "y"});
}

// Parameters from the middle of their priors, noise that data have.
inline std::vector<double> random_parameters(const Expression& kernel, Random& random) {
  const ParameterSpace space(kernel);
  std::vector<double> values;
  for (std::size_t i = 0; i + 1 < space.size(); ++i) {
    values.push_back(quantile(space[i].parameter.prior, 0.1 + 0.8 * random.uniform()));
  }
  values.push_back(std::exp(-6.0 + 5.0 * random.uniform()));
  return values;
}

inline FittedModel random_model(Random& random, std::size_t max_leaves = 7) {
  const std::size_t num_inputs = 1 + random.index(3);
  const Dataset data = random_dataset(20 + random.index(60), num_inputs, random);
  const Expression kernel = random_expression(random, 1 + random.index(max_leaves), num_inputs);
  const MeanFunction mean = random.index(2) == 0 ? MeanFunction::zero : MeanFunction::constant;
  return {kernel, random_parameters(kernel, random), data, mean};
}

// Raw points within the data and beyond them, on both sides.
inline std::vector<std::vector<double>> random_points(const Dataset& data, std::size_t count,
                                                      Random& random) {
  std::vector<std::vector<double>> points(data.num_inputs());
  for (std::size_t c = 0; c < points.size(); ++c) {
    for (std::size_t i = 0; i < count; ++i) {
      points[c].push_back(data.input_scaling(c).to_raw(-0.5 + 2.0 * random.uniform()));
    }
  }
  return points;
}

}  // namespace covary
