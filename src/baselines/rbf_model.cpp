#include "baselines/rbf_model.h"

#include <algorithm>
#include <utility>

#include "baselines/rbf_posterior.h"
#include "evidence/training_rows.h"

namespace covary {

std::optional<RbfFit> fit_rbf(const Dataset& data, const RbfOptions& options,
                              const std::atomic<bool>* interrupted) {
  RbfPosterior posterior(training_rows(data, MeanFunction::zero), options.convention);
  const auto is_interrupted = [&] { return interrupted != nullptr && interrupted->load(); };
  MaximizeOptions maximize_options;
  maximize_options.max_iterations = options.max_iterations;
  maximize_options.tolerance = 1e-6;
  maximize_options.should_stop = is_interrupted;

  Random random(options.seed);
  std::optional<MaximizeSummary> best;
  for (std::size_t i = 0; i < std::max<std::size_t>(options.restarts, 1); ++i) {
    MaximizeSummary summary =
        maximize_to_the_end(posterior, posterior.start(random), maximize_options);
    if (is_interrupted()) return std::nullopt;
    if (summary.reason == StopReason::invalid_start) continue;
    if (!best || summary.value > best->value) best = std::move(summary);
  }
  if (!best) return std::nullopt;
  return RbfFit{FittedModel(rbf_kernel(data.num_inputs()), posterior.parameters(best->place), data),
                best->value};
}

}  // namespace covary
