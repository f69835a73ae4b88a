#pragma once

#include <cstddef>
#include <vector>

#include <covary/expression.h>

#include "covariance/compiled_kernel.h"

namespace covary {

// Which of the rows a sparse posterior is built on: at most `count`, no two of which are the same
// to the kernel, in rising order. Of a kernel of one input, evenly among the values in their order;
// of several, a sample. Both follow from the values alone, so that they are the same in whatever
// order the rows are.
std::vector<std::size_t> support_rows(const Expression& kernel, const InputColumns& inputs,
                                      std::size_t count);

}  // namespace covary
