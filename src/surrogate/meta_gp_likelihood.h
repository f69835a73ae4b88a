#pragma once

#include <span>
#include <vector>

#include "linalg/matrix.h"
#include "optim/maximize.h"
#include "surrogate/surrogate_options.h"

namespace covary {

// out := s² exp(-factor Σ w_i d_i / l²), element by element. All matrices have the same shape.
void kernel_kernel(std::span<const Matrix> distances, const MetaGpParameters& parameters,
                   double distance_factor, Matrix& out);

// log N(values; c 1, K + σ² I + D) + log priors as a function of free numbers, in this order: log
// s², log l², log(σ² - noise floor), and, if there are several parts, one number a_i for each with
// weights w_i = sigmoid(a_i) / Σ sigmoid(a_j) (paper, A.5 and equation 5). The mean c is always at
// its maximum given the others, which has a closed form. D is diagonal: the given doubts of values.
class MetaGpLikelihood final : public Objective {
 public:
  static constexpr double noise_floor = 1e-6;

  // Keeps views of the distances, values and doubts, of which there may be none.
  MetaGpLikelihood(std::span<const Matrix> distances, std::span<const double> values,
                   const SurrogateOptions& options, std::span<const double> doubts = {});

  std::size_t size() const override { return 3 + num_weights(); }
  double value(std::span<const double> place) override;
  void gradient(std::span<double> out) override;
  void gradient_and_curvature(std::span<double> out, Matrix& curvature) override;

  // All at the place of the last value().
  const MetaGpParameters& parameters() const { return parameters_; }
  const Matrix& covariance() const { return covariance_; }  // K, whole
  const Matrix& factor() const { return factor_; }          // of K + σ² I + D

 private:
  std::size_t num_rows() const { return values_.size(); }
  std::size_t num_parts() const { return distances_.size(); }
  std::size_t num_weights() const { return num_parts() > 1 ? num_parts() : 0; }
  // Derivatives are taken by s² (in logs), by each w_i and by σ², and carried over to the free
  // numbers by the chain rule.
  std::size_t num_raw() const { return num_parts() + 2; }
  void set_parameters(std::span<const double> place);
  double log_prior() const;
  Matrix chain() const;
  std::vector<double> raw_gradient() const;
  Matrix raw_curvature() const;

  std::span<const Matrix> distances_;
  std::span<const double> values_;
  std::span<const double> doubts_;
  double distance_factor_;
  bool has_priors_;
  std::vector<double> place_;
  MetaGpParameters parameters_;
  Matrix covariance_;
  Matrix factor_;
  std::vector<double> alpha_;  // (K + σ² I + D)^-1 (values - c)
};

}  // namespace covary
