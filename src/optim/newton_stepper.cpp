#include <algorithm>
#include <cmath>

#include "linalg/symmetric.h"
#include "linalg/vectors.h"
#include "optim/uphill_stepper.h"

namespace covary {
namespace {

constexpr double least_damping = 1e-8;
constexpr double most_damping = 1e10;

// The step s with (C + damping diag(C)) s = gradient, shortened to max_step in each coordinate.
// Empty if the matrix is not positive definite at this damping.
std::vector<double> damped_step(const Matrix& curvature, std::span<const double> gradient,
                                double damping, double max_step) {
  const std::size_t d = gradient.size();
  Matrix damped = Matrix::copy_of(curvature);
  double mean_diagonal = 0.0;
  for (std::size_t i = 0; i < d; ++i) mean_diagonal += curvature(i, i) / static_cast<double>(d);
  for (std::size_t i = 0; i < d; ++i) {
    // A direction without curvature is damped by a part of the mean one.
    damped(i, i) += damping * (curvature(i, i) + 1e-3 * mean_diagonal + 1e-12);
  }
  std::vector<double> step(gradient.begin(), gradient.end());
  if (!solve_positive_definite(damped, step)) return {};
  double longest = 0.0;
  for (const double s : step) {
    if (!std::isfinite(s)) return {};
    longest = std::max(longest, std::abs(s));
  }
  if (longest > max_step) {
    for (double& s : step) s *= max_step / longest;
  }
  return step;
}

// g's - ½ s'Cs
double predicted_gain(const Matrix& curvature, std::span<const double> gradient,
                      std::span<const double> step) {
  double quadratic = 0.0;
  for (std::size_t j = 0; j < step.size(); ++j) {
    quadratic += step[j] * dot({curvature.column(j), step.size()}, step);
  }
  return dot(gradient, step) - 0.5 * quadratic;
}

// The BFGS update of a curvature matrix: afterwards curvature * step = change, the fall of the
// gradient along the step. Nothing is learnt where the function bends the wrong way.
void learn_curvature(Matrix& curvature, std::span<const double> step,
                     std::span<const double> change) {
  const std::size_t d = step.size();
  std::vector<double> product(d, 0.0);
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < d; ++i) product[i] += curvature(i, j) * step[j];
  }
  const double expected = dot(step, product);
  const double observed = dot(step, change);
  if (!(expected > 0.0) || !(observed > 1e-3 * expected)) return;
  for (std::size_t j = 0; j < d; ++j) {
    for (std::size_t i = 0; i < d; ++i) {
      curvature(i, j) += change[i] * change[j] / observed - product[i] * product[j] / expected;
    }
  }
}

class NewtonStepper final : public UphillStepper {
 public:
  NewtonStepper(std::span<const double> start, const MaximizeOptions& options)
      : UphillStepper(start, options, Want::gradient_and_curvature),
        curvature_(start.size(), start.size()) {}

  void tell_gradient(std::span<const double> gradient, const Matrix* curvature) override {
    if (curvature != nullptr) {
      std::copy_n(curvature->data(), size() * size(), curvature_.data());
    } else {
      // Where the quadratic model held, the change of the gradient teaches it the rest; where it
      // did not, the function's own curvature is worth its price.
      std::vector<double> change(size());
      for (std::size_t i = 0; i < size(); ++i) change[i] = gradient_[i] - gradient[i];
      learn_curvature(curvature_, step_, change);
    }
    gradient_.assign(gradient.begin(), gradient.end());
    if (has_gained_) ++summary_.num_iterations;
    begin_iteration();
  }

 private:
  std::size_t size() const { return trial_.size(); }

  void begin_iteration() {
    if (!may_go_on()) return;
    has_gained_ = false;
    is_trusted_ = true;
    propose_step();
  }

  // The next trial, the damping raised until the quadratic model has a step at all.
  void propose_step() {
    step_ = damped_step(curvature_, gradient_, damping_, options_.max_step);
    while (step_.empty()) {
      is_trusted_ = false;
      if (!raise_damping()) return;
      step_ = damped_step(curvature_, gradient_, damping_, options_.max_step);
    }
    predicted_ = predicted_gain(curvature_, gradient_, step_);
    if (predicted_ < options_.least_promise) {
      finish(StopReason::converged);
      return;
    }
    for (std::size_t i = 0; i < size(); ++i) trial_[i] = summary_.place[i] + step_[i];
  }

  bool raise_damping() {
    damping_ = std::max(damping_, 1e-6) * 8.0;
    if (damping_ <= most_damping) return true;
    finish(StopReason::stuck);
    return false;
  }

  Want judge(double value) override {
    const double gain = value - summary_.value;
    has_gained_ = gain > 0.0;
    is_trusted_ = is_trusted_ && gain > 0.2 * predicted_ && gain < 5.0 * predicted_;
    if (!has_gained_) {
      if (predicted_ < options_.tolerance) return finish(StopReason::converged);
      if (raise_damping()) propose_step();
      return Want::nothing;
    }
    if (gain > 0.75 * predicted_) damping_ = std::max(damping_ / 4.0, least_damping);
    if (gain < 0.25 * predicted_) damping_ *= 3.0;
    summary_.place = trial_;
    summary_.value += gain;
    if (has_converged(gain)) return finish(StopReason::converged);
    if (is_last_iteration()) return finish_at_limit();  // what comes after it would need a gradient
    return is_trusted_ ? Want::gradient : Want::gradient_and_curvature;
  }

  std::vector<double> step_;
  std::vector<double> gradient_;  // at the best place
  Matrix curvature_;
  double predicted_ = 0.0;  // what the step promises
  double damping_ = 1e-3;
  bool has_gained_ = false;
  bool is_trusted_ = true;  // the model, after all trials from this place
};

}  // namespace

std::unique_ptr<MaximizingStepper> newton_stepper(std::span<const double> start,
                                                  const MaximizeOptions& options) {
  return std::make_unique<NewtonStepper>(start, options);
}

}  // namespace covary
