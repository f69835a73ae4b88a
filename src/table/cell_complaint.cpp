// Tells a careful person's slip from plain text, so that the message can say what to mend.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "table/cell.h"

namespace covary {
namespace {

constexpr std::string_view digits = "0123456789";

bool is_made_of(std::string_view text, std::string_view characters) {
  return text.find_first_not_of(characters) == std::string_view::npos;
}

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return text;
}

bool is_hexadecimal(std::string_view text) {
  text = without_sign(text);
  return text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') &&
         is_made_of(text.substr(2), "0123456789abcdefABCDEF.pP+-");
}

// 12,5 but not 1,234, which may be either.
bool has_decimal_comma(std::string_view text) {
  text = without_sign(text);
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos || !is_made_of(text.substr(0, comma), digits)) return false;
  const std::string_view decimals = text.substr(comma + 1);
  return !decimals.empty() && is_made_of(decimals, digits) && decimals.size() != 3;
}

// 1,234,567 and 1.234,56: groups of three digits between separators of one kind, and perhaps
// decimals after a mark of another.
bool has_thousands_separator(std::string_view text) {
  static constexpr std::array<std::string_view, 7> separators = {",", ".",      "'",     " ",
                                                                 "_", "\u00A0", "\u202F"};
  text = without_sign(text);
  const std::size_t lead = std::min(text.find_first_not_of(digits), text.size());
  if (lead == 0 || lead > 3) return false;
  for (const std::string_view separator : separators) {
    std::string_view rest = text.substr(lead);
    std::size_t num_groups = 0;
    while (rest.starts_with(separator) && rest.size() >= separator.size() + 3 &&
           is_made_of(rest.substr(separator.size(), 3), digits)) {
      rest.remove_prefix(separator.size() + 3);
      ++num_groups;
    }
    const bool has_decimals = rest.size() > 1 && (rest.front() == '.' || rest.front() == ',') &&
                              !rest.starts_with(separator) && is_made_of(rest.substr(1), digits);
    if (num_groups > 0 && (rest.empty() || has_decimals)) return true;
  }
  return false;
}

// 24.12.2023, 12/24/23 and their like, perhaps with a time after them; not 1.2.3 or 1.234.567.
bool is_foreign_date(std::string_view text) {
  for (const char mark : {'.', '/', '-'}) {
    const std::size_t first = text.find(mark);
    const std::size_t second = first == std::string_view::npos ? first : text.find(mark, first + 1);
    if (second == std::string_view::npos) continue;
    const std::string_view rest = text.substr(second + 1);
    const std::array<std::string_view, 3> parts = {
        text.substr(0, first), text.substr(first + 1, second - first - 1),
        rest.substr(0, std::min(rest.find_first_not_of(digits), rest.size()))};
    const auto has_digits = [](std::string_view part, std::size_t at_least, std::size_t at_most) {
      return part.size() >= at_least && part.size() <= at_most && is_made_of(part, digits);
    };
    const bool has_end = rest.size() == parts[2].size() || rest[parts[2].size()] == ' ';
    if (has_digits(parts[0], 1, 4) && has_digits(parts[1], 1, 2) && has_digits(parts[2], 2, 4) &&
        has_end) {
      return true;
    }
  }
  return false;
}

bool has_iso_shape(std::string_view text) {
  return text.size() >= 7 && text[4] == '-' && is_made_of(text.substr(0, 4), digits) &&
         is_made_of(text.substr(5, 2), digits);
}

bool has_currency_sign(std::string_view text) {
  static constexpr std::array<std::string_view, 4> signs = {"$", "€", "£", "¥"};
  for (const std::string_view sign : signs) {
    if (text.find(sign) == std::string_view::npos) continue;
    if (text.find_first_of(digits) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::string why_not_a_date(std::string_view text) {
  text = trimmed(text);
  if (has_iso_shape(text)) {
    return "is not a day and time of the calendar; write dates as YYYY-MM-DD";
  }
  if (is_foreign_date(text)) return "looks like a date; write dates as YYYY-MM-DD";
  return "is not a date";
}

std::string why_not_a_number(std::string_view text) {
  text = trimmed(text);
  if (is_hexadecimal(text)) return "is hexadecimal; write it in decimal";
  if (has_iso_shape(text) || is_foreign_date(text)) return why_not_a_date(text);
  if (has_decimal_comma(text)) {
    return "has a decimal comma; write a decimal point, or separate the columns with semicolons";
  }
  if (has_thousands_separator(text)) {
    return "has a thousands separator; write the number without it, with a decimal point";
  }
  if (text.size() > 1 && text.back() == '%') return "has a percent sign; write the plain number";
  if (has_currency_sign(text)) return "has a currency sign; write the plain number";
  if (text.substr(0, 3) == "\u2212") {
    return "has a typographic minus sign; write it with a plain hyphen";
  }
  return "is not a number";
}

}  // namespace covary
