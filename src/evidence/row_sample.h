#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <covary/dataset.h>

namespace covary {

// Rows, in rising order, that stand for all of them where a fit of all would take too long.
// Uniform, but for one thing: where rows share values of an input now and then (readings of one
// day, say, or of one batch), a uniform sample tears nearly all of them apart and with them the
// evidence that such rows are alike. So every second row is drawn to share a value with the row
// before it. Always the same for the same data and seed. REQUIRES: count <= data.num_rows().
std::vector<std::size_t> row_sample(const Dataset& data, std::size_t count, std::uint64_t seed = 1);

}  // namespace covary
