#pragma once

#include <vector>

#include <covary/ensemble.h>
#include <covary/search.h>

namespace covary {

// The model that a search hands back: the best kernels by their posterior probability, each with
// its best parameters first and, as far as there is room, others that the data allow
// (docs/math/averaging.md). The first member is the best kernel at its best parameters.
// REQUIRES: at least one finalist, the best first, with `data` transformed as the first's.
Ensemble averaged_model(const std::vector<Finalist>& finalists, const Dataset& data,
                        const SearchOptions& options, SearchEnd end);

}  // namespace covary
