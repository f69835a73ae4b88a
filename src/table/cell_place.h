#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace covary {

// "row 12 (line 13)", or "row 12" when the line is not known (0).
std::string row_place(std::size_t row, std::size_t line);

// `air.csv: row 12 (line 13), column "age"`.
std::string cell_place(std::string_view source, std::size_t row, std::size_t line,
                       std::string_view column);

}  // namespace covary
