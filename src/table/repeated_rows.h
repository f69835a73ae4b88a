#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace covary {

// How many rows are equal to an earlier one in every column. REQUIRES: no NaN, equal sizes.
std::size_t count_repeated_rows(std::span<const std::vector<double>* const> columns);

}  // namespace covary
