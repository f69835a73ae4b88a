#pragma once

#include <span>

#include "linalg/matrix.h"

namespace covary {

// What is wanted of a place beyond the value there.
enum class Want { nothing, gradient, gradient_and_curvature };

// A walk through the places of a smooth function that somebody else evaluates. Optimisers of this
// kind never call the function, so that many of them can be led side by side, one on each core or
// all in step on a device:
//   while (!stepper.is_done()) {
//     const Want want = stepper.tell_value(value at stepper.place());
//     if (want != Want::nothing) stepper.tell_gradient(what it wants of the same place);
//   }
// That a gradient is wanted only where the value was worth it is part of the protocol: it goes on
// from the value, and rejected steps cost none.
class Stepper {
 public:
  virtual ~Stepper() = default;

  virtual bool is_done() const = 0;
  // Where to look next. REQUIRES: !is_done(). Valid until something is told.
  virtual std::span<const double> place() const = 0;
  // Minus infinity where the function has no value; then nothing more is wanted.
  virtual Want tell_value(double value) = 0;
  // `curvature`, a positive semi-definite stand-in for minus the Hessian, only if it was wanted.
  virtual void tell_gradient(std::span<const double> gradient, const Matrix* curvature) = 0;
};

}  // namespace covary
