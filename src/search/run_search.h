#pragma once

#include <atomic>
#include <map>
#include <vector>

#include <covary/dataset.h>
#include <covary/search.h>

namespace covary {

// What an earlier part of the same search left.
struct SearchStart {
  std::map<std::size_t, SearchRecord> done = {};
  double wall_seconds = 0.0;
};

SearchResult run_search(const Dataset& data, SearchOptions options, SearchStart start,
                        const std::vector<SearchObserver*>& observers,
                        const std::atomic<bool>* interrupted);

}  // namespace covary
