#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <covary/message_text.h>

#include "base/utf8.h"

namespace covary {
namespace {

constexpr std::size_t max_source_characters = 300;
constexpr std::string_view ellipsis = "…";

// Controls, and the marks that make a terminal show the rest of a line elsewhere or reversed.
bool needs_escape(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E ||
         code == 0x200F || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

void append_escape(std::string& to, char32_t code) {
  if (code == '\n') {
    to += "\\n";
  } else if (code == '\r') {
    to += "\\r";
  } else if (code == '\t') {
    to += "\\t";
  } else if (code < 0x100) {
    fmt::format_to(std::back_inserter(to), "\\x{:02x}", static_cast<unsigned>(code));
  } else {
    fmt::format_to(std::back_inserter(to), "\\u{:04x}", static_cast<unsigned>(code));
  }
}

}  // namespace

std::string shown(std::string_view text, std::size_t max_characters) {
  std::string result;
  for (std::size_t count = 0; !text.empty(); ++count) {
    if (count == max_characters && text != ellipsis) {
      result += ellipsis;
      break;
    }
    const Utf8Character next = first_utf8_character(text);
    if (!next.is_valid || needs_escape(next.code)) {
      append_escape(result, next.code);
    } else {
      result += text.substr(0, next.size);
    }
    text.remove_prefix(next.size);
  }
  return result;
}

std::string quoted(std::string_view text, std::size_t max_characters) {
  return '"' + shown(text, max_characters) + '"';
}

std::string shown_source(std::string_view source) {
  return source.empty() ? "\"\"" : shown(source, max_source_characters);
}

std::string shortened(std::string_view text, std::size_t max_characters) {
  std::size_t size = 0;
  for (std::size_t count = 0; size < text.size(); ++count) {
    if (count == max_characters) return std::string(text.substr(0, size)).append(ellipsis);
    size += first_utf8_character(text.substr(size)).size;
  }
  return std::string(text);
}

std::string name_list(const std::vector<std::string>& names, std::size_t max_names) {
  std::string list;
  const std::size_t num_listed = std::min(names.size(), max_names);
  for (std::size_t i = 0; i < num_listed; ++i) {
    if (i > 0) list += ", ";
    list += shown(names[i]);
  }
  if (names.size() > num_listed) list += fmt::format(" and {} more", names.size() - num_listed);
  return list;
}

std::string shown_number(double number) { return fmt::format("{}", number); }

}  // namespace covary
