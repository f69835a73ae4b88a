#pragma once

#include <cstddef>
#include <vector>

#include <covary/search.h>

#include "search/search_steps.h"

namespace covary {

// Rows on which kernels are compared for a while.
struct Rung {
  std::size_t num_rows = 0;
  std::size_t judged_rows = 0;   // as EvidenceOptions has it: 0 for all
  std::size_t num_promoted = 0;  // kernels that come up from the rung below
  std::size_t num_proposed = 0;  // that may be proposed beside them
  bool is_refinement = false;    // nothing is compared: the best is fitted to all rows by few steps
};

// Many kernels are compared on few rows, the promising ones on more, the best on as many as a fit
// can take (docs/search.md, Many rows). One rung of all rows where these are few, or exactness is
// asked for. Between the two, where an exact model is of more rows than kernels are compared on,
// the last rung refines what the model is made of.
std::vector<Rung> ladder_of(std::size_t num_rows, const SearchOptions& options);

// Evaluations of rung r are numbered from here on, so that a rung can be gone on with while those
// above it are on disk.
constexpr std::size_t first_index_of(std::size_t rung) { return rung * 1'000'000; }
constexpr std::size_t rung_of(std::size_t index) { return index / first_index_of(1); }

// Operations that evaluations took, nearly: what a step on more rows may cost is reckoned by them
// and not by the clock.
double operations_of(const std::vector<SearchRecord>& records);
// Those of a step on so many rows: a factor, an inverse.
double step_operations(std::size_t num_rows);

// The kernels that go on to a rung with room for so many: the best of those below, no two of them
// the same polynomial, and those that are to be in the model, in the order in which they are
// judged.
std::vector<Expression> promoted(const std::vector<SearchRecord>& below, std::size_t count,
                                 const std::vector<Expression>& always);

}  // namespace covary
