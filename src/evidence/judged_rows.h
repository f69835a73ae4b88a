#pragma once

#include <cstddef>
#include <vector>

#include <covary/dataset.h>

namespace covary {

// Rows, in rising order, on which kernels are compared where all of them would take too long. Along
// a single ordered input, half of them are one stretch of neighbours, which shows what is short,
// and half are spread over the whole, one at random out of every part, which shows what is long and
// takes no cycle for another. Of several inputs, a sample that keeps rows together which share a
// value (row_sample). Always the same for the same data and count; samples of other counts are
// drawn anew. All rows if there are no more.
std::vector<std::size_t> judged_rows(const Dataset& data, std::size_t count);

}  // namespace covary
