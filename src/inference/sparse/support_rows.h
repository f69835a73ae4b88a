#pragma once

#include <cstddef>
#include <vector>

#include "covariance/compiled_kernel.h"

namespace covary {

// Which of the rows a sparse posterior is built on: at most `count`, no two of which have the same
// inputs, in rising order. Of one input, the last ones and others spread over all; of several, a
// sample. They follow from the inputs' values alone: all kernels have the same, in whatever order
// the rows are.
std::vector<std::size_t> support_rows(const InputColumns& inputs, std::size_t count);

}  // namespace covary
