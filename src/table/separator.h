#pragma once

#include <string>
#include <string_view>

namespace covary {

// How much of a file's beginning the separator is guessed from.
constexpr std::size_t separator_sample_bytes = std::size_t{64} << 10U;

// The separator of a file whose first bytes these are: the first of tab, semicolon, | and comma
// that every record has equally often, or else that the first record has at all, or else a comma.
// `is_whole` says that the file has no more bytes.
char detect_separator(std::string_view beginning, bool is_whole);

// One character or one of the words comma, semicolon and tab. Throws Error(usage) for a character
// that numbers, names or lines are made of.
char parse_separator(std::string_view text);
void check_separator(char separator);

std::string separator_name(char separator);  // the inverse of parse_separator

}  // namespace covary
