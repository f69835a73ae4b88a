#include "gp/held_out.h"

#include <algorithm>

#include "linalg/cholesky.h"

namespace covary {

std::vector<double> alpha_without(const Matrix& inverse, std::span<const double> alpha,
                                  std::span<const std::size_t> held_out) {
  const std::size_t size = held_out.size();
  const auto at = [&](std::size_t i, std::size_t j) {
    return inverse(std::max(i, j), std::min(i, j));
  };
  Matrix block(size, size);
  cholesky(block, [&](Matrix& matrix) {
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t i = j; i < size; ++i) matrix(i, j) = at(held_out[i], held_out[j]);
    }
  });
  std::vector<double> weights;
  for (const std::size_t row : held_out) weights.push_back(alpha[row]);
  solve_lower(block, weights);
  solve_lower_transposed(block, weights);
  std::vector<double> result(alpha.begin(), alpha.end());
  for (std::size_t j = 0; j < size; ++j) {
    for (std::size_t i = 0; i < result.size(); ++i) result[i] -= at(i, held_out[j]) * weights[j];
  }
  for (const std::size_t row : held_out) result[row] = 0.0;
  return result;
}

}  // namespace covary
