#include "table/cell.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "table/iso_date.h"

namespace covary {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// The functions of <cctype> depend on the locale.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equals_ignoring_case(std::string_view text, std::string_view lower_case) {
  return std::equal(text.begin(), text.end(), lower_case.begin(), lower_case.end(),
                    [](char a, char b) { return lower(a) == b; });
}

template <std::size_t size>
bool is_one_of(std::string_view text, const std::array<std::string_view, size>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return equals_ignoring_case(text, word); });
}

bool is_missing_word(std::string_view text) {
  // The signs and "(ind)" are how C libraries print a NaN; a word after # is how a spreadsheet says
  // that a formula has no value; a point, two points and dashes stand in the tables of statistical
  // offices, \N in those of databases.
  static constexpr std::array<std::string_view, 32> words = {
      "na",   "n/a",    "n.a.",     "nan",       "nat",    "null",    "none",    "?",
      "-nan", "+nan",   "nan(ind)", "-nan(ind)", "1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan",
      "#n/a", "#na",    "#value!",  "#div/0!",   "#ref!",  "#name?",  "#num!",   "#null!",
      "<na>", "(null)", "\\n",      "-",         "--",     "\u2013",  "\u2014",  "."};
  return is_one_of(text, words) || text == "..";
}

std::optional<double> parse_infinity(std::string_view text) {
  static constexpr std::array<std::string_view, 2> words = {"inf", "infinity"};
  const bool is_negative = text.front() == '-';
  if (is_negative || text.front() == '+') text.remove_prefix(1);
  if (!is_one_of(text, words)) return std::nullopt;
  return is_negative ? -infinity : infinity;
}

// Whether a literal out of a double's range is so for being too large, not too small: from_chars
// does not say. The decimal exponent of its first significant digit decides.
bool is_too_large(std::string_view literal) {
  const std::size_t mark = std::min(literal.find_first_of("eE"), literal.size());
  const std::string_view digits = literal.substr(0, mark);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t leading = digits.find_first_of("123456789");
  if (leading == std::string_view::npos) return false;
  const double position =
      static_cast<double>(point) - static_cast<double>(leading);  // exact: sizes are below 2^53
  std::string_view exponent_text = literal.substr(std::min(mark + 1, literal.size()));
  const bool is_negative = !exponent_text.empty() && exponent_text.front() == '-';
  double exponent = 0.0;
  for (const char c : exponent_text) {
    if (is_digit(c)) exponent = std::min(10.0 * exponent + (c - '0'), 1e15);
  }
  return position + (is_negative ? -exponent : exponent) > 0.0;
}

// A whole literal such as -12.5e3, or nothing.
std::optional<Cell> parse_literal(std::string_view text) {
  std::string_view unsigned_part = text;
  const bool is_negative = text.front() == '-';
  if (is_negative || text.front() == '+') unsigned_part.remove_prefix(1);
  // from_chars would also take a second sign, and the words inf and nan.
  if (unsigned_part.empty() || (!is_digit(unsigned_part.front()) && unsigned_part.front() != '.')) {
    return std::nullopt;
  }
  double value = 0.0;
  const char* end = unsigned_part.data() + unsigned_part.size();
  const auto [stop, error] = std::from_chars(unsigned_part.data(), end, value);
  if (stop != end || error == std::errc::invalid_argument) return std::nullopt;
  CellKind kind = CellKind::number;
  if (error == std::errc::result_out_of_range || !std::isfinite(value)) {
    const bool is_large = is_too_large(unsigned_part);
    kind = is_large ? CellKind::infinite : CellKind::number;
    value = is_large ? infinity : 0.0;
  }
  return Cell{kind, is_negative ? -value : value};
}

// Digits, one comma, digits, and perhaps a sign and an exponent.
std::optional<Cell> parse_decimal_comma(std::string_view text) {
  const std::size_t comma = text.find(',');
  if (comma == 0 || comma + 1 >= text.size() || !is_digit(text[comma - 1]) ||
      !is_digit(text[comma + 1]) || text.find('.') != std::string_view::npos) {
    return std::nullopt;
  }
  std::string with_point(text);
  with_point[comma] = '.';
  std::optional<Cell> cell = parse_literal(with_point);
  if (cell.has_value() && cell->kind == CellKind::number) cell->kind = CellKind::number_with_comma;
  return cell;
}

std::optional<Cell> parse_number(std::string_view text, DecimalComma decimal_comma) {
  if (decimal_comma == DecimalComma::never) return parse_literal(text);
  if (text.find(',') != std::string_view::npos) return parse_decimal_comma(text);
  std::optional<Cell> cell = parse_literal(text);
  if (cell.has_value() && cell->kind == CellKind::number &&
      text.find('.') != std::string_view::npos) {
    cell->kind = CellKind::number_with_point;
  }
  return cell;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_white(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_white(text.back())) text.remove_suffix(1);
  return text;
}

Cell parse_cell(std::string_view text, DecimalComma decimal_comma) {
  text = trimmed(text);
  if (text.empty()) return {CellKind::missing};
  const char first = text.front();
  if (is_digit(first) || first == '-' || first == '+' || first == '.') {
    if (const std::optional<Cell> number = parse_number(text, decimal_comma)) return *number;
    if (text.size() >= 7 && text[4] == '-') {
      if (const std::optional<IsoDate> date = parse_iso_date(text)) {
        const CellKind kind = !date->has_time    ? CellKind::date
                              : date->has_offset ? CellKind::date_time_with_offset
                                                 : CellKind::date_time;
        return {kind, date->value};
      }
    }
  }
  if (is_missing_word(text)) return {CellKind::missing};
  if (const std::optional<double> value = parse_infinity(text)) {
    return {CellKind::infinite, *value};
  }
  return {CellKind::text};
}

}  // namespace covary
