#include "optim/maximize.h"

#include <algorithm>

namespace covary {
namespace {

class PersistentStepper final : public MaximizingStepper {
 public:
  PersistentStepper(std::span<const double> start, const MaximizeOptions& options)
      : options_(options) {
    constexpr std::size_t max_newton_steps = 100;
    MaximizeOptions first = options;
    first.max_iterations = std::min(options.max_iterations, max_newton_steps);
    current_ = newton_stepper(start, first);
    summary_ = current_->summary();
  }

  bool is_done() const override { return current_->is_done(); }
  std::span<const double> place() const override { return current_->place(); }
  const MaximizeSummary& summary() const override { return summary_; }

  Want tell_value(double value) override {
    const Want want = current_->tell_value(value);
    note();
    return want;
  }

  void tell_gradient(std::span<const double> gradient, const Matrix* curvature) override {
    current_->tell_gradient(gradient, curvature);
    note();
  }

 private:
  void note() {
    summary_ = current_->summary();
    summary_.num_iterations += num_newton_steps_;
    const bool has_more = options_.max_iterations > summary_.num_iterations;
    if (is_second_ || !current_->is_done() || !has_more ||
        summary_.reason != StopReason::iteration_limit) {
      return;
    }
    is_second_ = true;
    num_newton_steps_ = summary_.num_iterations;
    MaximizeOptions second = options_;
    second.max_iterations = options_.max_iterations - num_newton_steps_;
    current_ = lbfgs_stepper(summary_.place, second);
  }

  MaximizeOptions options_;
  std::unique_ptr<MaximizingStepper> current_;
  MaximizeSummary summary_;
  std::size_t num_newton_steps_ = 0;
  bool is_second_ = false;
};

MaximizeSummary led_to_the_end(std::unique_ptr<MaximizingStepper> stepper, Objective& objective) {
  lead(*stepper, objective);
  return stepper->summary();
}

}  // namespace

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::converged:
      return "converged";
    case StopReason::iteration_limit:
      return "iteration_limit";
    case StopReason::stopped:
      return "stopped";
    case StopReason::stuck:
      return "stuck";
    case StopReason::invalid_start:
      return "invalid_start";
  }
  return {};
}

std::unique_ptr<MaximizingStepper> persistent_stepper(std::span<const double> start,
                                                      const MaximizeOptions& options) {
  return std::make_unique<PersistentStepper>(start, options);
}

void lead(Stepper& stepper, Objective& objective) {
  std::vector<double> gradient(objective.size());
  Matrix curvature(objective.size(), objective.size());
  while (!stepper.is_done()) {
    switch (stepper.tell_value(objective.value(stepper.place()))) {
      case Want::nothing:
        break;
      case Want::gradient:
        objective.gradient(gradient);
        stepper.tell_gradient(gradient, nullptr);
        break;
      case Want::gradient_and_curvature:
        objective.gradient_and_curvature(gradient, curvature);
        stepper.tell_gradient(gradient, &curvature);
        break;
    }
  }
}

MaximizeSummary maximize(Objective& objective, std::span<const double> start,
                         const MaximizeOptions& options) {
  return led_to_the_end(newton_stepper(start, options), objective);
}

MaximizeSummary maximize_lbfgs(Objective& objective, std::span<const double> start,
                               const MaximizeOptions& options) {
  return led_to_the_end(lbfgs_stepper(start, options), objective);
}

MaximizeSummary maximize_to_the_end(Objective& objective, std::span<const double> start,
                                    const MaximizeOptions& options) {
  return led_to_the_end(persistent_stepper(start, options), objective);
}

}  // namespace covary
