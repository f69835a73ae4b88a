#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <covary/table.h>

namespace covary {

// What is lawful in data and yet is mostly a slip, or leaves little to learn: a sentence each.

void note_few_rows(std::size_t num_rows, std::vector<std::string>& notes);

// `where` is "row", or "row that is left".
void note_constant_target(const Column& target, std::span<const double> values,
                          std::string_view where, std::vector<std::string>& notes);

// Of the rows that are used, `rows` telling where they stand in the table, counted from 0: a value
// very far from the others, values that differ by hardly more than double precision can tell apart,
// and numbers that may be dates. REQUIRES: the values are finite.
void note_values(const Column& column, std::span<const double> values,
                 std::span<const std::size_t> rows, std::vector<std::string>& notes);

}  // namespace covary
