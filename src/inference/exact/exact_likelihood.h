#pragma once

#include <vector>

#include <covary/long_work.h>

#include "inference/likelihood.h"
#include "linalg/cholesky.h"
#include "linalg/large_factor.h"

namespace covary {

// The lower triangle of the rows' covariance matrix; `diagonal` is added to each row's variance.
void fill_covariance(const CompiledKernel& kernel, std::span<const double> parameters,
                     const TrainingRows& rows, double diagonal, Matrix& out,
                     CompiledKernel::Kept* kept = nullptr);

// The same of many rows, on several threads. Throws WorkStopped.
void fill_large_covariance(const CompiledKernel& kernel, std::span<const double> parameters,
                           const TrainingRows& rows, double diagonal, Matrix& out,
                           const LongWork& work);

// By a Cholesky factor of the whole covariance matrix, O(n³) time. Of few rows, on the calling
// thread with a few n² numbers; of many, long work with one array of n² numbers.
class ExactLikelihood final : public Likelihood {
 public:
  // Keeps views of the rows. More of them than `few` are many; another number is for tests.
  ExactLikelihood(const Expression& kernel, const TrainingRows& rows, LongWork work = {},
                  std::size_t few = many_rows);

  double value(std::span<const double> parameters, std::optional<double> diagonal) override;
  void gradient(std::span<double> out) override;
  void information(Matrix& out) override;
  void gradient_and_information(std::span<double> out, Matrix& information) override;
  double diagonal() const override { return diagonal_; }
  double jitter() const override { return jitter_; }

 private:
  std::size_t num_rows() const { return rows_.size(); }
  std::span<const double> kernel_parameters() const;
  void finish_gradient(std::span<double> out);
  CholeskyOutcome factored(double variance, double& mean_diagonal);
  void weigh();

  CompiledKernel kernel_;
  TrainingRows rows_;
  LongWork work_;
  bool has_many_rows_;
  Matrix matrix_;              // the factor after value(), the gradient's weights after gradient()
  CompiledKernel::Kept kept_;  // of few rows
  std::vector<double> alpha_;
  std::vector<double> parameters_;
  double diagonal_ = 0.0;
  double jitter_ = 0.0;
};

}  // namespace covary
