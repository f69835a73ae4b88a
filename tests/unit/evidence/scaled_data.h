#pragma once

#include <utility>
#include <vector>

#include <covary/dataset.h>

namespace covary {

// Numbers as they are, which no file gave.
inline Dataset scaled_data(std::vector<std::vector<double>> inputs, std::vector<double> target) {
  std::vector<Scaling> scalings(inputs.size(), Scaling{.name = "x"});
  return {std::move(inputs), std::move(target), std::move(scalings), {.name = "y"}, "", {}};
}

}  // namespace covary
