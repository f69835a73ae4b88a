#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace covary {

// A piece of the user's data inside a message: one line, valid UTF-8, control characters and
// characters that would reorder the line written as escapes, and at most `max_characters` of it.
std::string shown(std::string_view text, std::size_t max_characters = 40);

// The same in double quotes.
std::string quoted(std::string_view text, std::size_t max_characters = 40);

// A file's name; long paths are of use, so they are not cut early.
std::string shown_source(std::string_view source);

// The beginning of a text, cut between characters and marked with an ellipsis when something is
// left off.
std::string shortened(std::string_view text, std::size_t max_characters = 40);

// "Month, Passengers", or at most `max_names` of them and "and 7 more".
std::string name_list(const std::vector<std::string>& names, std::size_t max_names = 12);

// The word that was probably meant: equal up to letter case, or at most a third of its letters
// away. Empty if nothing is near.
std::string nearest_word(std::string_view typed, std::span<const std::string> words);

// A number as it is best read: the shortest text that gives the same double.
std::string shown_number(double number);

// What there is of memory, for who needs more: "0.02 GB of 8.1 GB are left".
std::string memory_left_text();

}  // namespace covary
