#pragma once

#include <atomic>
#include <vector>

#include <covary/dataset.h>
#include <covary/search.h>

#include "search/search_setup.h"

namespace covary {

SearchResult run_search(const Dataset& data, const SearchOptions& search_options, SearchStart start,
                        const std::vector<SearchObserver*>& observers,
                        const std::atomic<bool>* interrupted);

}  // namespace covary
