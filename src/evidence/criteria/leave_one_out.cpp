// Σ log p(y_i | all other rows), parameters held
#include <numeric>

#include <covary/model.h>

#include "evidence/criteria/criterion_rule.h"

namespace covary {

std::optional<double> leave_one_out(FittedKernel& fit, Evidence& /*notes*/) {
  const LongWork work{.threads = 1, .should_stop = fit.work().should_stop()};
  try {
    const FittedModel model(fit.kernel(), fit.figures().parameters, fit.data().data(),
                            fit.options().mean, work);
    const std::vector<double> densities = model.leave_one_out_log_density(work);
    return std::accumulate(densities.begin(), densities.end(), 0.0);
  } catch (const WorkStopped&) {
    return std::nullopt;
  }
}

}  // namespace covary
