#include "table/column_list.h"

#include <algorithm>
#include <cstddef>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/message_text.h>

#include "table/cell.h"

namespace covary {
namespace {

constexpr char backquote = '`';

// Takes a name in backquotes off the front of `rest`.
std::string take_quoted(std::string_view& rest, std::string_view whole) {
  std::string name;
  std::size_t at = 1;
  while (at < rest.size()) {
    if (rest[at] != backquote) {
      name += rest[at++];
    } else if (at + 1 < rest.size() && rest[at + 1] == backquote) {
      name += backquote;
      at += 2;
    } else {
      rest.remove_prefix(at + 1);
      return name;
    }
  }
  throw Error(ErrorKind::usage,
              fmt::format("has a backquote that is never closed: {}", shown(whole)));
}

}  // namespace

std::vector<std::string> split_column_list(std::string_view text) {
  std::vector<std::string> names;
  std::string_view rest = text;
  while (true) {
    while (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    const bool is_quoted = !rest.empty() && rest.front() == backquote;
    std::string name;
    if (is_quoted) name = take_quoted(rest, text);
    const std::size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view plain = trimmed(rest.substr(0, comma));
    if (is_quoted && !plain.empty()) {
      throw Error(
          ErrorKind::usage,
          fmt::format("has {} after a closing backquote; a comma has to follow", quoted(plain)));
    }
    if (!is_quoted) name = std::string(plain);
    if (!name.empty()) names.push_back(std::move(name));
    if (comma == rest.size()) return names;
    rest.remove_prefix(comma + 1);
  }
}

std::string join_column_list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    if (!text.empty()) text += ',';
    const bool needs_quotes =
        name.find(',') != std::string::npos || name.starts_with(backquote) || trimmed(name) != name;
    if (!needs_quotes) {
      text += name;
      continue;
    }
    text += backquote;
    for (const char c : name) text.append(c == backquote ? 2 : 1, c);
    text += backquote;
  }
  return text;
}

}  // namespace covary
