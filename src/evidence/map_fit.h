#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include <covary/evidence.h>

#include "evidence/log_posterior.h"
#include "evidence/start_values.h"

namespace covary {

// The data that a fit sees, with what was learnt from them once for all kernels.
struct FitData {
  InputColumns inputs;
  std::span<const double> target;
  DataHints hints;
  // A sample of the rows, to rank and refine starts cheaply; all rows if there are few.
  InputColumns sample_inputs;
  std::span<const double> sample_target;

  bool is_sampled() const { return sample_target.size() < target.size(); }
};

struct MapFit {
  std::vector<double> place;  // free parameters; empty if no start had a value
  double value = 0.0;
  StopReason reason = StopReason::invalid_start;
  std::size_t num_starts = 0;
  std::size_t num_distinct_optima = 0;
  std::size_t value_evaluations = 0;
  std::size_t gradient_evaluations = 0;
  double cpu_seconds = 0.0;
};

// The maximum of the log posterior, by the strategy of options.starts.
MapFit fit_map(const Expression& kernel, const FitData& data, const EvidenceOptions& options,
               const std::vector<WarmStart>& warm_starts, const std::function<bool()>& should_stop);

}  // namespace covary
