#include "surrogate/meta_gp_likelihood.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "base/checkpoint.h"
#include "linalg/cholesky.h"
#include "linalg/lapack.h"
#include "linalg/vector_math.h"
#include "linalg/vectors.h"

namespace covary {
namespace {

// A free number's normal prior, used with values of variance 1, and the range beyond which nothing
// counts: there a covariance matrix is all ones or all zeros to the last digit.
struct FreeNumber {
  double mean;
  double sd;
  double least;
  double most;
};
constexpr FreeNumber free_numbers[] = {
    {0.0, 1.0, -30.0, 30.0},   // log s²
    {0.0, 1.0, -10.0, 10.0},   // log l²: distances are of the order of 1
    {-4.6, 1.5, -25.0, 30.0},  // log σ²: a hundredth of the values' variance
    {0.0, 1.5, -10.0, 10.0},   // a_i: no part is ruled out
};
constexpr double prior_variance_of_mean = 1.0;

const FreeNumber& free_number(std::size_t index) {
  return free_numbers[std::min<std::size_t>(index, 3)];
}

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

}  // namespace

void kernel_kernel(std::span<const Matrix> distances, const MetaGpParameters& parameters,
                   double distance_factor, Matrix& out) {
  const std::size_t size = out.num_rows() * out.num_columns();
  double* exponent = out.data();
  std::fill_n(exponent, size, 0.0);
  for (std::size_t p = 0; p < distances.size(); ++p) {
    const double* distance = distances[p].data();
    const double rate = -distance_factor * parameters.weights[p] / parameters.squared_lengthscale;
    for (std::size_t i = 0; i < size; ++i) exponent[i] += rate * distance[i];
  }
  const double variance = parameters.variance;
  for (std::size_t i = 0; i < size; ++i) exponent[i] = variance * lane_exp(exponent[i]);
}

MetaGpLikelihood::MetaGpLikelihood(std::span<const Matrix> distances,
                                   std::span<const double> values, const SurrogateOptions& options,
                                   std::span<const double> doubts)
    : distances_(distances),
      values_(values),
      doubts_(doubts),
      distance_factor_(options.distance_factor),
      has_priors_(options.has_priors),
      covariance_(values.size(), values.size()),
      factor_(values.size(), values.size()) {
  parameters_.weights.assign(num_parts(), 1.0);
}

void MetaGpLikelihood::set_parameters(std::span<const double> place) {
  place_.assign(place.begin(), place.end());
  parameters_.variance = std::exp(place[0]);
  parameters_.squared_lengthscale = std::exp(place[1]);
  parameters_.noise_variance = noise_floor + std::exp(place[2]);
  if (num_weights() == 0) return;
  double sum = 0.0;
  for (std::size_t p = 0; p < num_parts(); ++p) sum += sigmoid(place[3 + p]);
  for (std::size_t p = 0; p < num_parts(); ++p) {
    parameters_.weights[p] = sigmoid(place[3 + p]) / sum;
  }
}

double MetaGpLikelihood::log_prior() const {
  if (!has_priors_) return 0.0;
  double sum = parameters_.mean * parameters_.mean / prior_variance_of_mean;
  for (std::size_t k = 0; k < place_.size(); ++k) {
    const double z = (place_[k] - free_number(k).mean) / free_number(k).sd;
    sum += z * z;
  }
  return -0.5 * sum;
}

double MetaGpLikelihood::value(std::span<const double> place) {
  StopPoint::pass();
  constexpr double nowhere = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < place.size(); ++k) {
    if (!(place[k] >= free_number(k).least && place[k] <= free_number(k).most)) return nowhere;
  }
  set_parameters(place);
  kernel_kernel(distances_, parameters_, distance_factor_, covariance_);
  const std::size_t n = num_rows();
  const CholeskyOutcome outcome = cholesky(factor_, [&](Matrix& matrix) {
    std::copy_n(covariance_.data(), n * n, matrix.data());
    for (std::size_t i = 0; i < n; ++i) matrix(i, i) += parameters_.noise_variance;
    for (std::size_t i = 0; i < doubts_.size(); ++i) matrix(i, i) += doubts_[i];
  });
  if (!outcome.succeeded) return nowhere;

  std::vector<double> ones(n, 1.0);
  alpha_.assign(values_.begin(), values_.end());
  solve_lower(factor_, ones);
  solve_lower(factor_, alpha_);
  const double precision = has_priors_ ? 1.0 / prior_variance_of_mean : 0.0;
  parameters_.mean = dot(ones, alpha_) / (dot(ones, ones) + precision);
  for (std::size_t i = 0; i < n; ++i) alpha_[i] -= parameters_.mean * ones[i];
  const double log_likelihood = -0.5 * (dot(alpha_, alpha_) + log_determinant(factor_) +
                                        static_cast<double>(n) * std::log(2.0 * std::numbers::pi));
  solve_lower_transposed(factor_, alpha_);
  const double value = log_likelihood + log_prior();
  return std::isfinite(value) ? value : nowhere;
}

// chain()(r, k) is the derivative of the raw parameter r by the free number k.
Matrix MetaGpLikelihood::chain() const {
  Matrix slopes(num_raw(), size());
  std::fill_n(slopes.data(), num_raw() * size(), 0.0);
  slopes(0, 0) = 1.0;
  slopes(num_raw() - 1, 2) = parameters_.noise_variance - noise_floor;
  const std::vector<double>& w = parameters_.weights;
  for (std::size_t p = 0; p < num_parts(); ++p) {
    slopes(1 + p, 1) = -w[p];  // the covariance sees w_i / l² only
    for (std::size_t q = 0; q < num_weights(); ++q) {
      const double rest = 1.0 - sigmoid(place_[3 + q]);
      slopes(1 + p, 3 + q) = rest * ((p == q ? w[q] : 0.0) - w[p] * w[q]);
    }
  }
  return slopes;
}

// ½ tr((α α' − (K + σ² I)⁻¹) dK)
std::vector<double> MetaGpLikelihood::raw_gradient() const {
  Matrix inverse = Matrix::copy_of(factor_);
  invert_from_cholesky(inverse);
  const std::size_t n = num_rows();
  std::vector<double> sums(num_raw(), 0.0);
  std::vector<double> weighted(n);  // of one column, below the diagonal: both triangles count
  for (std::size_t j = 0; j < n; ++j) {
    const std::size_t rest = n - j;
    for (std::size_t i = j; i < n; ++i) {
      weighted[i - j] = alpha_[i] * alpha_[j] - inverse(i, j);
    }
    weighted[0] *= 0.5;
    sums.back() += weighted[0];
    const double* covariance = covariance_.column(j) + j;
    for (std::size_t i = 0; i < rest; ++i) weighted[i] *= covariance[i];
    sums[0] += std::accumulate(weighted.begin(),
                               weighted.begin() + static_cast<std::ptrdiff_t>(rest), 0.0);
    for (std::size_t p = 0; p < num_parts(); ++p) {
      sums[1 + p] += dot({weighted.data(), rest}, {distances_[p].column(j) + j, rest});
    }
  }
  for (std::size_t p = 0; p < num_parts(); ++p) {
    sums[1 + p] *= -distance_factor_ / parameters_.squared_lengthscale;
  }
  return sums;
}

// The average information ½ v_i' (K + σ² I)⁻¹ v_j with v_i = (dK/dθ_i) α.
Matrix MetaGpLikelihood::raw_curvature() const {
  const std::size_t n = num_rows();
  Matrix products(n, num_raw());
  const double rate = -distance_factor_ / parameters_.squared_lengthscale;
  std::vector<double> weighted(n);
  for (std::size_t j = 0; j < n; ++j) {
    const double* covariance = covariance_.column(j);
    for (std::size_t i = 0; i < n; ++i) weighted[i] = covariance[i] * alpha_[i];
    products(j, 0) = std::accumulate(weighted.begin(), weighted.end(), 0.0);
    for (std::size_t p = 0; p < num_parts(); ++p) {
      products(j, 1 + p) = rate * dot(weighted, {distances_[p].column(j), n});
    }
    products(j, num_raw() - 1) = alpha_[j];
  }
  solve_lower(factor_, products);
  Matrix curvature(num_raw(), num_raw());
  for (std::size_t r = 0; r < num_raw(); ++r) {
    for (std::size_t s = 0; s < num_raw(); ++s) {
      curvature(r, s) = 0.5 * dot({products.column(r), n}, {products.column(s), n});
    }
  }
  return curvature;
}

void MetaGpLikelihood::gradient(std::span<double> out) {
  const std::vector<double> raw = raw_gradient();
  const Matrix slopes = chain();
  for (std::size_t k = 0; k < size(); ++k) {
    out[k] = dot({slopes.column(k), num_raw()}, raw);
    if (!has_priors_) continue;
    out[k] -= (place_[k] - free_number(k).mean) / (free_number(k).sd * free_number(k).sd);
  }
}

void MetaGpLikelihood::gradient_and_curvature(std::span<double> out, Matrix& curvature) {
  gradient(out);
  const Matrix raw = raw_curvature();
  const Matrix slopes = chain();
  for (std::size_t k = 0; k < size(); ++k) {
    for (std::size_t m = 0; m < size(); ++m) {
      double sum = 0.0;
      for (std::size_t r = 0; r < num_raw(); ++r) {
        for (std::size_t s = 0; s < num_raw(); ++s) sum += slopes(r, k) * raw(r, s) * slopes(s, m);
      }
      curvature(k, m) = sum;
    }
    if (has_priors_) curvature(k, k) += 1.0 / (free_number(k).sd * free_number(k).sd);
  }
}

}  // namespace covary
