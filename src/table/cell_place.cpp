#include "table/cell_place.h"

#include <fmt/format.h>

#include <covary/message_text.h>

namespace covary {

std::string row_place(std::size_t row, std::size_t line) {
  return line == 0 ? fmt::format("row {}", row) : fmt::format("row {} (line {})", row, line);
}

std::string cell_place(std::string_view source, std::size_t row, std::size_t line,
                       std::string_view column) {
  return fmt::format("{}: {}, column {}", shown_source(source), row_place(row, line),
                     quoted(column));
}

}  // namespace covary
