#include <algorithm>
#include <cmath>
#include <deque>

#include "linalg/vectors.h"
#include "optim/uphill_stepper.h"

namespace covary {
namespace {

constexpr std::size_t memory = 20;

struct Pair {
  std::vector<double> step;
  std::vector<double> change;  // of minus the gradient
  double inverse_product;
};

// The two-loop recursion: minus the inverse Hessian times the gradient of -f.
std::vector<double> direction_of(const std::deque<Pair>& pairs, std::span<const double> gradient) {
  std::vector<double> direction(gradient.begin(), gradient.end());
  std::vector<double> weights(pairs.size());
  for (std::size_t i = pairs.size(); i-- > 0;) {
    weights[i] = pairs[i].inverse_product * dot(pairs[i].step, direction);
    for (std::size_t k = 0; k < direction.size(); ++k) {
      direction[k] -= weights[i] * pairs[i].change[k];
    }
  }
  if (!pairs.empty()) {
    const Pair& last = pairs.back();
    const double scale = 1.0 / (last.inverse_product * dot(last.change, last.change));
    for (double& x : direction) x *= scale;
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double weight = weights[i] - pairs[i].inverse_product * dot(pairs[i].change, direction);
    for (std::size_t k = 0; k < direction.size(); ++k) direction[k] += weight * pairs[i].step[k];
  }
  return direction;
}

class LbfgsStepper final : public UphillStepper {
 public:
  LbfgsStepper(std::span<const double> start, const MaximizeOptions& options)
      : UphillStepper(start, options, Want::gradient) {}

  void tell_gradient(std::span<const double> gradient, const Matrix* /*curvature*/) override {
    if (gradient_.empty()) {
      gradient_.assign(gradient.begin(), gradient.end());
      begin_iteration();
      return;
    }
    learn(gradient);
    const double gain = trial_value_ - summary_.value;
    summary_.place = trial_;
    summary_.value = trial_value_;
    gradient_.assign(gradient.begin(), gradient.end());
    if (has_converged(gain)) {
      finish(StopReason::converged);
      return;
    }
    ++summary_.num_iterations;
    begin_iteration();
  }

 private:
  void begin_iteration() {
    if (!may_go_on()) return;
    direction_ = direction_of(pairs_, gradient_);
    slope_ = dot(direction_, gradient_);
    if (!(slope_ > 0.0)) {
      pairs_.clear();
      direction_ = gradient_;
      slope_ = dot(gradient_, gradient_);
    }
    double longest = 0.0;
    for (const double x : direction_) longest = std::max(longest, std::abs(x));
    length_ = std::min(1.0, options_.max_step / std::max(longest, 1e-300));
    if (pairs_.empty()) length_ = std::min(length_, 0.5 / std::max(longest, 1e-300));
    num_trials_ = 0;
    propose_trial();
  }

  void propose_trial() {
    for (std::size_t i = 0; i < trial_.size(); ++i) {
      trial_[i] = summary_.place[i] + length_ * direction_[i];
    }
  }

  Want judge(double value) override {
    constexpr int max_trials = 40;
    trial_value_ = value;
    if (value >= summary_.value + 1e-4 * length_ * slope_) return Want::gradient;
    // Backtracking by the parabola through value, slope and the failed trial.
    const double fall = summary_.value + length_ * slope_ - value;
    const double best = std::isfinite(fall) ? 0.5 * length_ * slope_ * length_ / fall : 0.0;
    length_ = std::clamp(best, 0.1 * length_, 0.5 * length_);
    if (++num_trials_ < max_trials) {
      propose_trial();
      return Want::nothing;
    }
    if (pairs_.empty()) {
      return finish(slope_ * length_ < options_.tolerance ? StopReason::converged
                                                          : StopReason::stuck);
    }
    pairs_.clear();  // try once more, straight up
    ++summary_.num_iterations;
    begin_iteration();
    return Want::nothing;
  }

  void learn(std::span<const double> gradient) {
    const std::size_t d = trial_.size();
    Pair pair{std::vector<double>(d), std::vector<double>(d), 0.0};
    for (std::size_t i = 0; i < d; ++i) {
      pair.step[i] = trial_[i] - summary_.place[i];
      pair.change[i] = gradient_[i] - gradient[i];
    }
    const double product = dot(pair.step, pair.change);
    if (!(product > 1e-12 * dot(pair.change, pair.change))) return;
    pair.inverse_product = 1.0 / product;
    pairs_.push_back(std::move(pair));
    if (pairs_.size() > memory) pairs_.pop_front();
  }

  double trial_value_ = 0.0;
  std::vector<double> gradient_;  // at the best place; empty before the first
  std::vector<double> direction_;
  double slope_ = 0.0;   // along the direction
  double length_ = 0.0;  // of the trial, in directions
  int num_trials_ = 0;
  std::deque<Pair> pairs_;
};

}  // namespace

std::unique_ptr<MaximizingStepper> lbfgs_stepper(std::span<const double> start,
                                                 const MaximizeOptions& options) {
  return std::make_unique<LbfgsStepper>(start, options);
}

}  // namespace covary
