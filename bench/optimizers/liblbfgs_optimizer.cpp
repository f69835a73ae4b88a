#include <algorithm>
#include <span>

#include <lbfgs.h>

#include "optimizers.h"

namespace covary {
namespace {

struct Run {
  WatchedObjective& objective;
  GainTest test;
};

double negative_log_posterior(void* instance, const double* place, double* gradient, int size,
                              double /*step*/) {
  const auto d = static_cast<std::size_t>(size);
  WatchedObjective& objective = static_cast<Run*>(instance)->objective;
  objective.gradient_at({place, d}, {gradient, d});
  std::for_each_n(gradient, d, [](double& g) { g = -g; });
  return -objective.value_at({place, d});
}

int after_step(void* instance, const double* /*place*/, const double* /*gradient*/, double value,
               double /*place_norm*/, double /*gradient_norm*/, double /*step*/, int /*size*/,
               int /*iteration*/, int /*num_evaluations*/) {
  return static_cast<Run*>(instance)->test.has_settled(-value) ? 1 : 0;
}

}  // namespace

// More and Thuente's line search, the library's default.
void maximize_with_liblbfgs(WatchedObjective& objective, const std::vector<double>& start,
                            const Limits& limits) {
  lbfgs_parameter_t parameters;
  lbfgs_parameter_init(&parameters);
  parameters.m = static_cast<int>(limits.memory);
  parameters.epsilon = 1e-10;  // of the gradient's norm
  parameters.max_iterations = static_cast<int>(limits.max_iterations);
  Run run{objective, GainTest(objective.value_at(start), limits.tolerance)};
  const int size = static_cast<int>(start.size());
  double* place = lbfgs_malloc(size);  // aligned, as the library needs it
  std::copy(start.begin(), start.end(), place);
  double value = 0.0;
  lbfgs(size, place, &value, negative_log_posterior, after_step, &run, &parameters);
  lbfgs_free(place);
}

}  // namespace covary
