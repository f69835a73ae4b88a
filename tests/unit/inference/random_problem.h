#pragma once

#include <cmath>
#include <cstddef>
#include <vector>

#include <covary/random.h>

#include "covariance/parameter_space.h"
#include "inference/likelihood.h"

namespace covary {

// Rows of two inputs. Must outlive what rows() gives.
struct RandomProblem {
  std::vector<std::vector<double>> x{2};
  std::vector<double> y;

  TrainingRows rows(double constant_variance = 0.0) const {
    return {{x[0], x[1]}, y, constant_variance};
  }
};

inline RandomProblem random_problem(std::size_t n, Random& random, double noise_sd) {
  RandomProblem problem;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::vector<double>& column : problem.x) column.push_back(random.uniform());
    problem.y.push_back(std::sin(7.0 * problem.x[0][i]) + problem.x[1][i] +
                        noise_sd * random.normal());
  }
  return problem;
}

// Natural parameters of moderate size.
inline std::vector<double> random_parameters(const Expression& kernel, Random& random) {
  const ParameterSpace space(kernel);
  std::vector<double> parameters;
  for (std::size_t p = 0; p < space.size(); ++p) {
    parameters.push_back(quantile(space[p].parameter.prior, 0.3 + 0.5 * random.uniform()));
  }
  parameters.back() = 0.05 + 0.1 * random.uniform();
  return parameters;
}

}  // namespace covary
