#pragma once

#include <string>
#include <string_view>

namespace covary {

// Messages name options as their reader writes them: --missing drop on the command line,
// missing="drop" in Python. Who reads is for the program to say, once, before its first call.
enum class Reader { command_line, python };
void set_reader(Reader reader);

// An option by its name in the tables of settings, alone or with a value.
std::string option_text(std::string_view name);
std::string option_text(std::string_view name, std::string_view value);

// An option that is switched on: --force, or force=True.
std::string switch_text(std::string_view name);

}  // namespace covary
