#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace covary {

// A list of column names: separated by commas, white space around a name is not part of it, and
// a name in backquotes may hold commas and, doubled, backquotes. Throws Error(usage).
std::vector<std::string> split_column_list(std::string_view text);
std::string join_column_list(const std::vector<std::string>& names);  // the inverse

}  // namespace covary
