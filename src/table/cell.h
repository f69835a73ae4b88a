#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace covary {

// What a cell holds. The finer kinds of numbers and date-times are there because a column must not
// mix them.
enum class CellKind : std::uint8_t {
  missing,
  text,
  infinite,               // inf, or a literal that is too large for a double
  number,                 // also: with a decimal point in a file without decimal commas
  number_with_point,      // only told apart where decimal commas may occur
  number_with_comma,      // 12,5
  date,                   // days since 1970-01-01
  date_time,              // seconds since 1970-01-01T00:00:00, wherever that is
  date_time_with_offset,  // seconds since 1970-01-01T00:00:00Z
  written_date,           // not as ISO 8601 has it; only a column's other cells tell how
  written_date_time,
};
constexpr std::size_t num_cell_kinds = 11;

struct Cell {
  CellKind kind = CellKind::missing;
  double value = 0.0;
};

// Whether 12,5 is a number: only where the comma does not separate columns.
enum class DecimalComma : std::uint8_t { never, allowed };

// Dates that are not written as ISO 8601 says are texts here.
Cell parse_cell(std::string_view text, DecimalComma decimal_comma);

std::string_view trimmed(std::string_view text);  // without ASCII white space at either end

// What is the matter with a cell that should hold a number or a date, as the rest of a sentence:
// `is hexadecimal; write it in decimal`.
std::string why_not_a_number(std::string_view text);
std::string why_not_a_date(std::string_view text);

}  // namespace covary
