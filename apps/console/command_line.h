#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace covary::app {

// What is wrong with the words of a command line, in one line that says what would be right.
std::string complaint_about(const CLI::App& program, const CLI::ParseError& error);

// An option that names a file, a folder or a column, which an empty text does not: a variable of a
// shell script that was never set would otherwise mean the default. `needs` is "the name of a
// file".
CLI::Option* add_named(CLI::App& command, const std::string& flag, std::string& value,
                       const std::string& needs, const std::string& help);

// --seed, of commands that have no table of settings for it.
CLI::Option* add_seed(CLI::App& command, std::uint64_t& seed, const std::string& help);

// Throws Error(cannot_write) if the file to write, which `flag` has named, is one of those that are
// read or made already: a slip would cost its rows.
void check_is_none_of(const std::string& path, const std::string& flag,
                      const std::vector<std::string>& others);

}  // namespace covary::app
