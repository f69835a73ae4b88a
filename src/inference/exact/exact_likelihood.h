#pragma once

#include <functional>
#include <vector>

#include <covary/long_work.h>

#include "base/checkpoint.h"
#include "inference/likelihood.h"
#include "linalg/cholesky.h"

namespace covary {

// The lower triangle of the rows' covariance matrix; `diagonal` is added to each row's variance.
void fill_covariance(const CompiledKernel& kernel, std::span<const double> parameters,
                     const TrainingRows& rows, double diagonal, Matrix& out,
                     CompiledKernel::Kept* kept = nullptr, Checkpoint* checkpoint = nullptr);

// The same with the noise variance on the diagonal, on several threads. Throws WorkStopped.
void fill_large_covariance(const CompiledKernel& kernel, std::span<const double> parameters,
                           const TrainingRows& rows, Matrix& out, const LongWork& work);

// By a Cholesky factor of the whole covariance matrix, O(n³) time and a few n² numbers.
class ExactLikelihood final : public Likelihood {
 public:
  // Keeps views of the rows.
  ExactLikelihood(const Expression& kernel, const TrainingRows& rows,
                  const std::function<bool()>& should_stop = {});

  double value(std::span<const double> parameters, std::optional<double> diagonal) override;
  void gradient(std::span<double> out) override;
  void gradient_and_information(std::span<double> out, Matrix& information) override;
  double diagonal() const override { return diagonal_; }
  double jitter() const override { return jitter_; }

 private:
  std::size_t num_rows() const { return rows_.size(); }
  std::span<const double> kernel_parameters() const;
  void finish_gradient(std::span<double> out);
  // To be passed by long work; null of few rows, or where nobody may stop it.
  Checkpoint* checkpoint() { return can_be_stopped_ ? &checkpoint_ : nullptr; }
  CholeskyOutcome factored(const std::function<void(Matrix&)>& fill);

  CompiledKernel kernel_;
  TrainingRows rows_;
  LongWork work_;
  Checkpoint checkpoint_;
  bool can_be_stopped_;
  Matrix matrix_;  // the factor after value(), the gradient's weights after gradient()
  CompiledKernel::Kept kept_;
  std::vector<double> alpha_;
  std::vector<double> parameters_;
  double diagonal_ = 0.0;
  double jitter_ = 0.0;
};

}  // namespace covary
