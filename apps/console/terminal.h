#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace covary::app {

// Words go to stderr, data to stdout; colours only for a terminal, and never with NO_COLOR.
void print_error(const std::string& message);
void print_note(const std::string& message);
std::string error_line(const std::string& message);  // that print_error() prints

// What stdout can show; 80 by 24 where it is no terminal or does not say.
struct TerminalSize {
  bool is_terminal = false;
  bool has_unicode = false;  // by the locale's environment variables
  std::size_t columns = 80;
  std::size_t rows = 24;
};
TerminalSize stdout_terminal();

// "48 s", "12 min", "2.5 h": how long something will take, for people.
std::string duration(double seconds);

// A word as a shell takes it back.
std::string quoted_for_shell(const std::string& word);

// Rows of cells as aligned columns, the first row being the heading. Widths count characters.
std::string format_table(const std::vector<std::vector<std::string>>& rows);

}  // namespace covary::app
