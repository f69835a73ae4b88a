#pragma once

#include <optional>
#include <span>

#include "covariance/compiled_kernel.h"
#include "linalg/matrix.h"

namespace covary {

// Rows that a model is conditioned on, on the scaled data. Not owned.
struct TrainingRows {
  InputColumns inputs = {};
  std::span<const double> target = {};
  double constant_variance = 0.0;  // of an unknown constant mean, which is integrated out; 0: none

  std::size_t size() const { return target.size(); }
};

// log p(target | kernel, parameters) of one kernel on some rows, one place at a time: the value is
// the first half of the work, and the gradient goes on from there, so that a place that is not
// worth it costs no gradient. Parameters are the kernel's in the order of the expression, the noise
// variance last, each by its natural value. Not for use by two threads at once.
class Likelihood {
 public:
  virtual ~Likelihood() = default;

  // Minus infinity where it cannot be computed. `diagonal` is added to every row's variance; none:
  // as little as it takes to factor the covariance matrix. Differences between places are those of
  // one function only with the same diagonal at both.
  virtual double value(std::span<const double> parameters, std::optional<double> diagonal) = 0;

  // At the place of the last value(), which must have been finite. At most one of the three, once.
  virtual void gradient(std::span<double> out) = 0;
  // The average-information matrix, the mean of observed and expected information: a positive
  // semi-definite stand-in for minus the Hessian. By itself it takes a part of what gradients do.
  virtual void information(Matrix& out) = 0;
  virtual void gradient_and_information(std::span<double> out, Matrix& information) = 0;

  // What the last value() had on the diagonal, and the same in units of the mean diagonal.
  virtual double diagonal() const = 0;
  virtual double jitter() const = 0;
};

}  // namespace covary
