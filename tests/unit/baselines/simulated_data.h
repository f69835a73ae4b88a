#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <covary/dataset.h>
#include <covary/model.h>
#include <covary/random.h>

#include "baselines/rbf_posterior.h"
#include "gp/gaussian_draws.h"

namespace covary {

using Numbers = std::vector<double>;

// As given, with no scaling, so that parameters are those of the numbers themselves.
inline Dataset plain_dataset(std::vector<Numbers> inputs, Numbers target) {
  std::vector<Scaling> scalings(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) scalings[i].name = fmt::format("x{}", i + 1);
  Scaling target_scaling;
  target_scaling.name = "y";
  return {std::move(inputs),
          std::move(target),
          std::move(scalings),
          std::move(target_scaling),
          "test",
          {}};
}

inline std::vector<Numbers> uniform_inputs(std::size_t num_rows, std::size_t num_inputs,
                                           Random& random) {
  std::vector<Numbers> inputs(num_inputs, Numbers(num_rows));
  for (Numbers& column : inputs) {
    for (double& x : column) x = random.uniform();
  }
  return inputs;
}

// Draws from the RBF process; parameters are those of the product of squared exponentials.
inline Numbers rbf_draw(const std::vector<Numbers>& inputs, const Numbers& parameters,
                        Random& random) {
  const std::size_t n = inputs[0].size();
  const CompiledKernel kernel(rbf_kernel(inputs.size()));
  Matrix covariance(n, n);
  kernel.gram({parameters.data(), kernel.num_parameters()},
              InputColumns(inputs.begin(), inputs.end()), covariance);
  for (std::size_t i = 0; i < n; ++i) covariance(i, i) += parameters.back();
  const Matrix draw = sample_gaussian(Numbers(n, 0.0), covariance, 1, random);
  return {draw.column(0), draw.column(0) + n};
}

}  // namespace covary
