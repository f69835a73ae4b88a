#include "terminal.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <covary/message_text.h>

namespace covary::app {
namespace {

bool has_colour() {
  const char* no_colour = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe)
  return (no_colour == nullptr || *no_colour == '\0') && isatty(STDERR_FILENO) == 1;
}

std::string line_of(const char* colour, const char* word, const std::string& message) {
  return has_colour() ? fmt::format("\x1b[{}m{}\x1b[0m {}\n", colour, word, message)
                      : fmt::format("{} {}\n", word, message);
}

void print(const std::string& line) {
  // If even this fails there is nobody to tell.
  static_cast<void>(std::fwrite(line.data(), 1, line.size(), stderr));
}

std::size_t num_characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

// For words with characters that a terminal must not see raw; bash, ksh and zsh understand it.
std::string quoted_in_octal(const std::string& word) {
  std::string quoted = "$'";
  for (const char c : word) {
    const bool is_printable = c >= ' ' && c <= '~' && c != '\'' && c != '\\';
    quoted +=
        is_printable ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
  }
  return quoted + "'";
}

}  // namespace

std::string error_line(const std::string& message) { return line_of("1;31", "covary:", message); }
void print_error(const std::string& message) { print(error_line(message)); }
void print_note(const std::string& message) { print(line_of("1", "note:", message)); }

TerminalSize stdout_terminal() {
  TerminalSize result;
  result.is_terminal = isatty(STDOUT_FILENO) == 1;
  winsize size = {};
  if (result.is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    result.columns = size.ws_col;
    result.rows = size.ws_row;
  }
  // The first of these that is set has the say.
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe)
    if (value == nullptr || *value == '\0') continue;
    std::string locale = value;
    std::transform(locale.begin(), locale.end(), locale.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    result.has_unicode =
        locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
    break;
  }
  return result;
}

std::string duration(double seconds) {
  if (seconds < 100.0) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000.0) return fmt::format("{:.0f} min", seconds / 60.0);
  return fmt::format("{:.1f} h", seconds / 3600.0);
}

std::string quoted_for_shell(const std::string& word) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-' || c == '/' || c == ',';
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), is_plain)) return word;
  if (shown(word, word.size()) != word) return quoted_in_octal(word);
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string format_table(const std::vector<std::vector<std::string>>& rows) {
  // Names of columns may hold anything, also what a terminal must not see raw.
  std::vector<std::vector<std::string>> cells = rows;
  std::vector<std::size_t> widths;
  for (auto& row : cells) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = shown(row[i], row[i].size());
      widths[i] = std::max(widths[i], num_characters(row[i]));
    }
  }
  std::string text;
  for (const auto& row : cells) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += " " + row[i];
      if (i + 1 < row.size()) line.append(widths[i] - num_characters(row[i]) + 1, ' ');
    }
    text += line + "\n";
  }
  return text;
}

}  // namespace covary::app
