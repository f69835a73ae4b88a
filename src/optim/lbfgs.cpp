#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>

#include "optim/maximize.h"

namespace covary {
namespace {

constexpr std::size_t memory = 20;

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

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

}  // namespace

MaximizeSummary maximize_lbfgs(Objective& objective, std::span<const double> start,
                               const MaximizeOptions& options) {
  const std::size_t d = objective.size();
  MaximizeSummary summary;
  summary.place.assign(start.begin(), start.end());
  summary.value = objective.value(summary.place);
  if (!std::isfinite(summary.value)) return summary;

  std::vector<double> gradient(d);
  std::vector<double> trial(d);
  std::vector<double> trial_gradient(d);
  std::deque<Pair> pairs;
  objective.gradient(gradient);
  int num_small_gains = 0;
  for (summary.num_iterations = 0; summary.num_iterations < options.max_iterations;
       ++summary.num_iterations) {
    if (options.should_stop && options.should_stop()) {
      summary.reason = StopReason::stopped;
      return summary;
    }
    std::vector<double> direction = direction_of(pairs, gradient);
    double slope = dot(direction, gradient);
    if (!(slope > 0.0)) {
      pairs.clear();
      direction = gradient;
      slope = dot(gradient, gradient);
    }
    double longest = 0.0;
    for (const double x : direction) longest = std::max(longest, std::abs(x));
    double length = std::min(1.0, options.max_step / std::max(longest, 1e-300));
    if (pairs.empty()) length = std::min(length, 0.5 / std::max(longest, 1e-300));

    // Backtracking by the parabola through value, slope and the failed trial.
    double trial_value = 0.0;
    bool has_gained = false;
    for (int attempt = 0; attempt < 40 && !has_gained; ++attempt) {
      for (std::size_t i = 0; i < d; ++i) trial[i] = summary.place[i] + length * direction[i];
      trial_value = objective.value(trial);
      has_gained = trial_value >= summary.value + 1e-4 * length * slope;
      if (has_gained) break;
      const double fall = summary.value + length * slope - trial_value;
      const double best = std::isfinite(fall) ? 0.5 * length * slope * length / fall : 0.0;
      length = std::clamp(best, 0.1 * length, 0.5 * length);
    }
    if (!has_gained) {
      if (pairs.empty()) {
        summary.reason =
            slope * length < options.tolerance ? StopReason::converged : StopReason::stuck;
        return summary;
      }
      pairs.clear();  // try once more, straight up
      continue;
    }
    objective.gradient(trial_gradient);
    Pair pair{std::vector<double>(d), std::vector<double>(d), 0.0};
    for (std::size_t i = 0; i < d; ++i) {
      pair.step[i] = trial[i] - summary.place[i];
      pair.change[i] = gradient[i] - trial_gradient[i];
    }
    const double product = dot(pair.step, pair.change);
    if (product > 1e-12 * dot(pair.change, pair.change)) {
      pair.inverse_product = 1.0 / product;
      pairs.push_back(std::move(pair));
      if (pairs.size() > memory) pairs.pop_front();
    }
    const double gain = trial_value - summary.value;
    summary.place = trial;
    summary.value = trial_value;
    gradient = trial_gradient;
    num_small_gains = gain < options.tolerance ? num_small_gains + 1 : 0;
    if (num_small_gains == 2) {
      summary.reason = StopReason::converged;
      return summary;
    }
  }
  summary.reason = StopReason::iteration_limit;
  return summary;
}

MaximizeSummary maximize_to_the_end(Objective& objective, std::span<const double> start,
                                    const MaximizeOptions& options) {
  constexpr std::size_t max_newton_steps = 100;
  MaximizeOptions first = options;
  first.max_iterations = std::min(options.max_iterations, max_newton_steps);
  MaximizeSummary summary = maximize(objective, start, first);
  const bool has_more = options.max_iterations > summary.num_iterations;
  if (summary.reason != StopReason::iteration_limit || !has_more) return summary;
  MaximizeOptions second = options;
  second.max_iterations = options.max_iterations - summary.num_iterations;
  const std::size_t num_newton_steps = summary.num_iterations;
  summary = maximize_lbfgs(objective, summary.place, second);
  summary.num_iterations += num_newton_steps;
  return summary;
}

}  // namespace covary
