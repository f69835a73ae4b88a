#include "gp/gaussian_draws.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <covary/error.h>

#include "linalg/cholesky.h"
#include "linalg/symmetric.h"

namespace covary {
namespace {

// Some A with A A' = covariance: lower triangular where it can be.
struct Root {
  Matrix matrix;
  bool is_triangular = true;
};

Root root_of(const Matrix& covariance) {
  const std::size_t n = covariance.num_rows();
  Root root{Matrix(n, n)};
  const CholeskyOutcome outcome = cholesky(
      root.matrix, [&](Matrix& matrix) { std::copy_n(covariance.data(), n * n, matrix.data()); });
  if (outcome.succeeded) return root;
  for (std::size_t j = 0; j < n; ++j) {
    for (std::size_t i = j; i < n; ++i) {
      if (!std::isfinite(covariance(i, j))) {
        throw Error(ErrorKind::bad_data,
                    "nothing can be drawn: a covariance is not finite with these parameters");
      }
    }
  }
  // Of rank zero (every variance zero), or of variances no larger than the rounding in them.
  Eigen eigen = symmetric_eigen(covariance);
  for (std::size_t j = 0; j < n; ++j) {
    const double scale = std::sqrt(std::max(eigen.values[j], 0.0));
    for (std::size_t i = 0; i < n; ++i) eigen.vectors(i, j) *= scale;
  }
  return {std::move(eigen.vectors), false};
}

}  // namespace

Matrix sample_gaussian(std::span<const double> mean, const Matrix& covariance,
                       std::size_t num_samples, Random& random) {
  const std::size_t n = mean.size();
  const Root root = root_of(covariance);
  Matrix samples(n, num_samples);
  std::vector<double> noise(n);
  for (std::size_t s = 0; s < num_samples; ++s) {
    for (double& z : noise) z = random.normal();
    for (std::size_t i = 0; i < n; ++i) {
      double sum = mean[i];
      const std::size_t end = root.is_triangular ? i + 1 : n;
      for (std::size_t k = 0; k < end; ++k) sum += root.matrix(i, k) * noise[k];
      samples(i, s) = sum;
    }
  }
  return samples;
}

}  // namespace covary
