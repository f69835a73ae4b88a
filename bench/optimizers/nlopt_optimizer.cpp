#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include <nlopt.h>

#include "optimizers.h"

namespace covary {
namespace {

struct Scaled {
  WatchedObjective& objective;
  double scale;
};

double scaled_log_posterior(unsigned size, const double* place, double* gradient, void* data) {
  const auto& [objective, scale] = *static_cast<Scaled*>(data);
  if (gradient != nullptr) {
    objective.gradient_at({place, size}, {gradient, size});
    for (unsigned i = 0; i < size; ++i) gradient[i] *= scale;
  }
  return scale * objective.value_at({place, size});
}

}  // namespace

// NLopt looks for two small gains in a row by itself. It cannot limit steps, only values. Its first
// steps lead to places without a value as dlib's do, so it gets the same scaled function.
void maximize_with_nlopt(WatchedObjective& objective, const std::vector<double>& start,
                         const Limits& limits) {
  std::vector<double> gradient(start.size());
  objective.gradient_at(start, gradient);
  const double length =
      std::sqrt(std::inner_product(gradient.begin(), gradient.end(), gradient.begin(), 0.0));
  Scaled scaled{objective, 1.0 / std::max(length, 1.0)};
  const std::unique_ptr<nlopt_opt_s, decltype(&nlopt_destroy)> optimizer(
      nlopt_create(NLOPT_LD_LBFGS, static_cast<unsigned>(start.size())), &nlopt_destroy);
  nlopt_set_max_objective(optimizer.get(), scaled_log_posterior, &scaled);
  nlopt_set_ftol_abs(optimizer.get(), scaled.scale * limits.tolerance);
  nlopt_set_maxeval(optimizer.get(), static_cast<int>(2 * limits.max_iterations));
  nlopt_set_vector_storage(optimizer.get(), static_cast<unsigned>(limits.memory));
  std::vector<double> place = start;
  double value = 0.0;
  nlopt_optimize(optimizer.get(), place.data(), &value);
}

}  // namespace covary
