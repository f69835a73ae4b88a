#pragma once

#include <cstddef>
#include <vector>

#include <covary/evidence.h>

#include "evidence/fit_data.h"
#include "evidence/fit_work.h"
#include "evidence/log_prior.h"

namespace covary {

struct MapFit {
  std::vector<double> place;  // free parameters; empty if no start had a value
  double value = 0.0;
  StopReason reason = StopReason::invalid_start;
  std::size_t num_starts = 0;
  // Different ones among all starts that converged on all rows, those that were left behind for a
  // better one included.
  std::size_t num_distinct_optima = 0;
};

// The maximum of the log posterior, by the strategy of options.starts.
MapFit fit_map(const Expression& kernel, const LogPrior& prior, const FitData& data,
               const EvidenceOptions& options, const std::vector<WarmStart>& warm_starts,
               FitWork& work);

}  // namespace covary
