#include "evidence/fit_work.h"

#include <vector>

namespace covary {

void FitWork::lead(const Expression& kernel, const LogPrior& prior, const TrainingRows& rows,
                   std::span<Stepper* const> walks, std::optional<double> diagonal) {
  std::vector<PosteriorWalk> posterior_walks;
  posterior_walks.reserve(walks.size());  // the batch points at them
  std::vector<Walk> batch;
  for (Stepper* walk : walks) {
    posterior_walks.emplace_back(*walk, prior);
    batch.push_back({&kernel, &rows, &posterior_walks.back(), diagonal});
  }
  costs_ += inference_.lead(batch, num_threads_, should_stop_);
}

}  // namespace covary
