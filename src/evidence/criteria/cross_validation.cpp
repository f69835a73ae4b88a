// Σ log p(y_i | rows of the other folds), parameters fitted to those from the whole data's on.
// Rows are dealt to folds at random.
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include <covary/holdout.h>
#include <covary/model.h>
#include <covary/random.h>

#include "evidence/criteria/criterion_rule.h"
#include "evidence/training_rows.h"
#include "optim/maximize.h"

namespace covary {
namespace {

Prediction predicted(const FittedKernel& fit, std::vector<double> parameters,
                     const Dataset& training, const Dataset& test) {
  const LongWork work{.threads = 1, .should_stop = fit.work().should_stop()};
  const FittedModel model(fit.kernel(), std::move(parameters), training, fit.options().mean, work);
  return model.predict_rows(test, work);
}

std::optional<double> held_out_density(FittedKernel& fit, const Dataset& training,
                                       const Dataset& test) {
  MaximizeOptions options;
  options.max_iterations = std::min<std::size_t>(fit.options().max_iterations, 30);
  options.tolerance = 1e-4;
  options.should_stop = fit.work().should_stop();
  const std::unique_ptr<MaximizingStepper> stepper = newton_stepper(fit.place(), options);
  Stepper* walk = stepper.get();
  fit.work().lead(fit.kernel(), fit.prior(), training_rows(training, fit.options().mean),
                  {&walk, 1});
  if (!stepper->is_done() || stepper->summary().reason == StopReason::invalid_start) {
    return std::nullopt;
  }
  const Prediction prediction =
      predicted(fit, fit.prior().space().natural(stepper->summary().place), training, test);
  const std::vector<double> targets = raw_target(test);
  const double log_unit = std::log(test.target_scaling().raw_factor());
  double sum = 0.0;
  for (std::size_t i = 0; i < test.num_rows(); ++i) {
    sum += log_density(prediction, i, targets[i]) + log_unit;
  }
  return sum;
}

}  // namespace

std::optional<double> cross_validation(FittedKernel& fit, Evidence& /*notes*/) {
  const Dataset& data = fit.data().data();
  const std::size_t n = data.num_rows();
  const std::size_t folds = std::min(fit.options().folds, n);
  Random random(fit.options().seed);
  std::vector<std::size_t> fold_of(n);
  for (std::size_t i = 0; i < n; ++i) fold_of[i] = i % folds;
  random.shuffle(fold_of);
  double sum = 0.0;
  for (std::size_t fold = 0; fold < folds; ++fold) {
    if (fit.work().is_over()) return std::nullopt;
    std::vector<std::size_t> inside;
    std::vector<std::size_t> outside;
    for (std::size_t i = 0; i < n; ++i) (fold_of[i] == fold ? inside : outside).push_back(i);
    try {
      const std::optional<double> density =
          held_out_density(fit, data.rows(outside), data.rows(inside));
      if (!density) return std::nullopt;
      sum += *density;
    } catch (const WorkStopped&) {
      return std::nullopt;
    }
  }
  return sum;
}

}  // namespace covary
