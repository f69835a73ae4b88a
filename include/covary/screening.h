#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <covary/dataset.h>

namespace covary {

// How many inputs a search tries at the most where nobody says otherwise: their base kernels alone
// are then a hundred evaluations.
inline constexpr std::size_t most_inputs_by_default = 30;

// How much each input says of the target by itself, in nats: the log Bayes factor of a function of
// its ranks against none (docs/math/screening.md). Sees curves that fall and rise again; does not
// see inputs that matter only together. Below 0 where there is nothing to be seen.
std::vector<double> input_relations(const Dataset& data);

// The data with the `most` inputs of the largest relations (of equal ones, the first), in the order
// of the table; as they are where there are no more than that. `most` is 0: all inputs.
Dataset screened(const Dataset& data, std::size_t most);

// The data with the inputs of those names, in their order; nothing where one is missing.
std::optional<Dataset> with_inputs_named(const Dataset& data,
                                         const std::vector<std::string>& names);

// Whether inputs were left out by how little they say.
bool is_screened(const Dataset& data);
// What a careful reader should know of that. REQUIRES: is_screened(kept).
std::string screening_note(const Dataset& kept);

}  // namespace covary
