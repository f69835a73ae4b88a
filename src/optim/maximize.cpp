#include "optim/maximize.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "linalg/symmetric.h"

namespace covary {
namespace {

constexpr double least_damping = 1e-8;
constexpr double most_damping = 1e10;

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

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

MaximizeSummary maximize(Objective& objective, std::span<const double> start,
                         const MaximizeOptions& options) {
  const std::size_t d = objective.size();
  MaximizeSummary summary;
  summary.place.assign(start.begin(), start.end());
  summary.value = objective.value(summary.place);
  if (!std::isfinite(summary.value)) return summary;

  std::vector<double> gradient(d);
  std::vector<double> trial(d);
  std::vector<double> new_gradient(d);
  std::vector<double> change(d);
  std::vector<double> step;
  Matrix curvature(d, d);
  objective.gradient_and_curvature(gradient, curvature);
  double damping = 1e-3;
  int num_small_gains = 0;
  for (summary.num_iterations = 0; summary.num_iterations < options.max_iterations;
       ++summary.num_iterations) {
    if (options.should_stop && options.should_stop()) {
      summary.reason = StopReason::stopped;
      return summary;
    }
    // Raise the damping until a step gains something.
    bool has_gained = false;
    bool is_trusted = true;
    double gain = 0.0;
    while (!has_gained) {
      step = damped_step(curvature, gradient, damping, options.max_step);
      double predicted = 0.0;
      if (!step.empty()) {
        predicted = predicted_gain(curvature, gradient, step);
        for (std::size_t i = 0; i < d; ++i) trial[i] = summary.place[i] + step[i];
        gain = objective.value(trial) - summary.value;
        has_gained = gain > 0.0;
      }
      is_trusted = is_trusted && gain > 0.2 * predicted && gain < 5.0 * predicted;
      if (has_gained) {
        if (gain > 0.75 * predicted) damping = std::max(damping / 4.0, least_damping);
        if (gain < 0.25 * predicted) damping *= 3.0;
      } else if (!step.empty() && predicted < options.tolerance) {
        summary.reason = StopReason::converged;
        return summary;
      } else {
        damping = std::max(damping, 1e-6) * 8.0;
        if (damping > most_damping) {
          summary.reason = StopReason::stuck;
          return summary;
        }
      }
    }
    summary.place = trial;
    summary.value += gain;
    num_small_gains = gain < options.tolerance ? num_small_gains + 1 : 0;
    if (num_small_gains == 2) {
      summary.reason = StopReason::converged;
      return summary;
    }
    // Where the quadratic model held, the change of the gradient teaches it the rest; where it did
    // not, the objective's own curvature is worth its price.
    if (is_trusted) {
      objective.gradient(new_gradient);
      for (std::size_t i = 0; i < d; ++i) change[i] = gradient[i] - new_gradient[i];
      learn_curvature(curvature, step, change);
      gradient.swap(new_gradient);
    } else {
      objective.gradient_and_curvature(gradient, curvature);
    }
  }
  summary.reason = StopReason::iteration_limit;
  return summary;
}

}  // namespace covary
