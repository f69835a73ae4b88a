#pragma once

#include <span>
#include <string>
#include <string_view>

namespace covary {

// The word that was probably meant: equal up to letter case, or at most a third of its letters
// away. Empty if nothing is near.
std::string nearest_word(std::string_view typed, std::span<const std::string> words);

}  // namespace covary
