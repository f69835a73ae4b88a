#pragma once

#include <string>

#include <covary/dataset.h>

namespace covary {

// Beside Dataset::fingerprint(), which is of the whole table, what tells apart the numbers that
// two models see.

// Whether any column is in another unit than the user's.
bool is_scaled(const Dataset& data);

// 32 hexadecimal digits over the scaled numbers of the very rows, in their order. To seven digits:
// the last ones depend on the processor, and what differs there only is another table.
std::string rows_fingerprint(const Dataset& data);

}  // namespace covary
