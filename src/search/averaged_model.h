#pragma once

#include <vector>

#include <covary/ensemble.h>
#include <covary/long_work.h>
#include <covary/search.h>

namespace covary {

// The model that a search hands back (docs/math/averaging.md): several kernels, each with its best
// parameters first and, as far as there is room, others that the data allow. The first member is
// the best kernel at its best parameters. Of one input the finalists count by their posterior
// probability; of several, finalists and what people would say first, as they predict rows that
// they have not seen.
// REQUIRES: at least one finalist, the best first, with `data` transformed as the first's.
Ensemble averaged_model(const std::vector<Finalist>& finalists,
                        const std::vector<SearchRecord>& history, const Dataset& data,
                        const SearchOptions& options, SearchEnd end, const LongWork& work = {});

// How many kernels that model has at the most.
std::size_t most_kernels(const Dataset& data, const SearchOptions& options);

// Whether what people would say first has a share in the model of such data. Not of many rows: each
// kernel takes minutes, and gains nothing there (docs/search_quality.md, Many rows).
bool are_sentences_averaged(const Dataset& data, const SearchOptions& options);

}  // namespace covary
