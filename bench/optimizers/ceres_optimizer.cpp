#include <algorithm>
#include <span>

#include <ceres/gradient_problem.h>
#include <ceres/gradient_problem_solver.h>

#include "optimizers.h"

namespace covary {
namespace {

class NegativeLogPosterior final : public ceres::FirstOrderFunction {
 public:
  explicit NegativeLogPosterior(WatchedObjective& objective) : objective_(objective) {}

  // False where there is no value: Ceres then shortens the step. (A gradient that is not finite
  // would end the whole program.)
  bool Evaluate(const double* parameters,  // NOLINT(readability-identifier-naming)
                double* cost, double* gradient) const override {
    const std::span<const double> place(parameters, objective_.size());
    if (gradient != nullptr) {
      objective_.gradient_at(place, {gradient, objective_.size()});
      std::for_each_n(gradient, objective_.size(), [](double& g) { g = -g; });
    }
    if (!objective_.has_value_at(place)) return false;
    *cost = -objective_.value_at(place);
    return true;
  }

  int NumParameters() const override {  // NOLINT(readability-identifier-naming)
    return static_cast<int>(objective_.size());
  }

 private:
  WatchedObjective& objective_;
};

class StopAtSmallGains final : public ceres::IterationCallback {
 public:
  explicit StopAtSmallGains(const GainTest& test) : test_(test) {}

  ceres::CallbackReturnType operator()(const ceres::IterationSummary& summary) override {
    if (summary.iteration == 0 || !test_.has_settled(-summary.cost)) return ceres::SOLVER_CONTINUE;
    return ceres::SOLVER_TERMINATE_SUCCESSFULLY;
  }

 private:
  GainTest test_;
};

void solve(WatchedObjective& objective, const std::vector<double>& start, const Limits& limits,
           bool is_scaled) {
  ceres::GradientProblem problem(new NegativeLogPosterior(objective));
  StopAtSmallGains callback(GainTest(objective.value_at(start), limits.tolerance));
  ceres::GradientProblemSolver::Options options;
  options.max_lbfgs_rank = static_cast<int>(limits.memory);
  options.max_num_iterations = static_cast<int>(limits.max_iterations);
  options.use_approximate_eigenvalue_bfgs_scaling = is_scaled;
  options.function_tolerance = 0.0;
  options.parameter_tolerance = 0.0;
  options.logging_type = ceres::SILENT;
  options.callbacks.push_back(&callback);
  std::vector<double> place = start;
  ceres::GradientProblemSolver::Summary summary;
  ceres::Solve(options, problem, place.data(), &summary);
}

}  // namespace

void maximize_with_ceres(WatchedObjective& objective, const std::vector<double>& start,
                         const Limits& limits) {
  solve(objective, start, limits, false);
}

void maximize_with_scaled_ceres(WatchedObjective& objective, const std::vector<double>& start,
                                const Limits& limits) {
  solve(objective, start, limits, true);
}

}  // namespace covary
