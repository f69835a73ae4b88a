#pragma once

#include <memory>
#include <optional>
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
//
// Where values become those of more rows, climb(): values of fewer rows are hints from then on. A
// hint h stands for the value a + b h, with a, b and how far that is off learnt from the kernels
// that have both (autoregressive, Kennedy and O'Hagan 2000).
class KernelSurrogate {
 public:
  // With the symbolic transport distances (paper, equation 4).
  explicit KernelSurrogate(SurrogateOptions options = {});
  KernelSurrogate(std::unique_ptr<DistanceSet> distances, SurrogateOptions options);

  // Forgets beliefs; predictions know of it after the next refit() or condition().
  // REQUIRES: a finite value.
  void add(const Expression& kernel, double value);

  // Values to come are of another scale, of which those so far are hints. A kernel may be added
  // again. REQUIRES: after it, a value before the next refit().
  void climb();

  // The posterior of all values, with parameters fitted to them, or with those of the last fit.
  // Forget beliefs. REQUIRE: at least one value.
  MaximizeSummary refit(Random& random);
  void condition();

  // From now on `kernel` counts as known to have its predicted mean.
  void believe(const Expression& kernel);

  // REQUIRES: refit() or condition() since the last add().
  SurrogatePrediction predict(std::span<const Expression> kernels) const;
  double incumbent() const;        // the largest posterior mean over the kernels that have values
  const Expression& best() const;  // the kernel of the largest value

  bool has_values() const;                                          // and not hints alone
  std::span<const Expression> kernels() const { return kernels_; }  // with values or hints
  // Of each, or what its hint stands for, as the last refit() or condition() had them.
  std::span<const double> values() const { return values_; }
  MetaGpParameters parameters() const { return meta_gp_.parameters(); }

 private:
  // What is known of a kernel: its value, or a hint of it and how far that may be off.
  struct Known {
    std::optional<double> value;
    std::optional<double> hint;
    double doubt = 0.0;  // the hint's variance, on its own scale
  };

  void forget_beliefs() { distances_->truncate(kernels_.size()); }
  void take_hints();
  std::vector<Matrix> distance_matrices() const;

  std::unique_ptr<DistanceSet> distances_;
  MetaGp meta_gp_;
  std::vector<Expression> kernels_;
  std::vector<Known> known_;
  std::vector<double> values_;             // those, or what hints stand for
  std::vector<double> doubts_;             // none as long as there are no hints
  std::vector<std::vector<double>> rows_;  // by part: distances to earlier kernels, row after row
};

}  // namespace covary
