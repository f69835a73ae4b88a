#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "linalg/matrix.h"
#include "optim/stepper.h"

namespace covary {

// A smooth function to maximise. value() comes first; gradient() goes on from the place of the last
// value(), so that rejected steps cost no gradient. Minus infinity marks places that do not count.
class Objective {
 public:
  virtual ~Objective() = default;
  virtual std::size_t size() const = 0;
  virtual double value(std::span<const double> place) = 0;
  virtual void gradient(std::span<double> out) = 0;
  // Also a positive semi-definite stand-in for minus the Hessian.
  virtual void gradient_and_curvature(std::span<double> out, Matrix& curvature) = 0;
};

enum class StopReason {
  converged,  // the next step would gain less than the tolerance
  iteration_limit,
  stopped,        // `should_stop` said so: time is up, or the user interrupted
  stuck,          // no step of any length gains anything, though the gradient is not zero
  invalid_start,  // the function has no value at the start
};

std::string_view to_string(StopReason reason);

struct MaximizeOptions {
  std::size_t max_iterations = 200;
  // Stop when the gain that the quadratic model promises falls below this, twice in a row.
  double tolerance = 1e-9;
  // Newton steps that promise less than this are not tried: where a look takes a minute.
  double least_promise = 0.0;
  double max_step = 3.0;  // in each coordinate
  std::function<bool()> should_stop;
};

struct MaximizeSummary {
  std::vector<double> place;
  double value = 0.0;
  StopReason reason = StopReason::invalid_start;
  std::size_t num_iterations = 0;
};

// A walk uphill.
class MaximizingStepper : public Stepper {
 public:
  virtual const MaximizeSummary& summary() const = 0;  // of all that was told so far
};

using StepperMaker = std::unique_ptr<MaximizingStepper> (*)(std::span<const double> start,
                                                            const MaximizeOptions& options);

// Damped Newton steps, the damping adapted to how well the quadratic model predicts the gain
// (Levenberg-Marquardt). The model's curvature is the function's where the last step surprised,
// and brought up to date by BFGS where it did not, which costs a gradient only.
std::unique_ptr<MaximizingStepper> newton_stepper(std::span<const double> start,
                                                  const MaximizeOptions& options);

// Limited-memory BFGS with a backtracking line search; wants gradients only.
std::unique_ptr<MaximizingStepper> lbfgs_stepper(std::span<const double> start,
                                                 const MaximizeOptions& options);

// The first until it converges or has taken 100 steps, then the second: Newton steps cross valleys
// fast, but on a narrow curved ridge their quadratic model is good for tiny steps only.
std::unique_ptr<MaximizingStepper> persistent_stepper(std::span<const double> start,
                                                      const MaximizeOptions& options);

// Leads a walk to its end through one function.
void lead(Stepper& stepper, Objective& objective);

// The same three, for those who have one function and one start.
MaximizeSummary maximize(Objective& objective, std::span<const double> start,
                         const MaximizeOptions& options);
MaximizeSummary maximize_lbfgs(Objective& objective, std::span<const double> start,
                               const MaximizeOptions& options);
MaximizeSummary maximize_to_the_end(Objective& objective, std::span<const double> start,
                                    const MaximizeOptions& options);

}  // namespace covary
