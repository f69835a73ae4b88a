#pragma once

#include <memory>
#include <span>
#include <vector>

#include <covary/expression.h>
#include <covary/random.h>

#include "kernel_distance/distance_set.h"
#include "surrogate/meta_gp.h"

namespace covary {

// What is known about kernels from those that were evaluated: a guess with its spread for any
// kernel expression. Values are compared, not interpreted; larger is better.
//
//   surrogate.add(kernel, value) for every evaluation; surrogate.refit(random);
//   surrogate.believe(kernel) for every evaluation under way; surrogate.predict(kernels)
class KernelSurrogate {
 public:
  // With the symbolic transport distances (paper, equation 4).
  explicit KernelSurrogate(SurrogateOptions options = {});
  KernelSurrogate(std::unique_ptr<DistanceSet> distances, SurrogateOptions options);

  // Forgets beliefs; predictions know of it after the next refit() or condition().
  // REQUIRES: a finite value.
  void add(const Expression& kernel, double value);

  // The posterior of all values, with parameters fitted to them, or with those of the last fit.
  // Forget beliefs. REQUIRE: at least one value.
  MaximizeSummary refit(Random& random);
  void condition();

  // From now on `kernel` counts as known to have its predicted mean.
  void believe(const Expression& kernel);

  // REQUIRES: refit() or condition() since the last add().
  SurrogatePrediction predict(std::span<const Expression> kernels) const;
  double incumbent() const;  // the largest posterior mean over the evaluated kernels

  std::span<const Expression> kernels() const { return kernels_; }
  std::span<const double> values() const { return values_; }
  MetaGpParameters parameters() const { return meta_gp_.parameters(); }

 private:
  void forget_beliefs() { distances_->truncate(kernels_.size()); }
  std::vector<Matrix> distance_matrices() const;

  std::unique_ptr<DistanceSet> distances_;
  MetaGp meta_gp_;
  std::vector<Expression> kernels_;
  std::vector<double> values_;
  std::vector<std::vector<double>> rows_;  // by part: distances to earlier kernels, row after row
};

}  // namespace covary
