#include "table/separator.h"

#include <array>
#include <vector>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/message_text.h>

namespace covary {
namespace {

// Rarest in ordinary text first: a tab hardly ever stands in a cell, a comma often does.
constexpr std::array<char, 4> candidates = {'\t', ';', '|', ','};
constexpr std::size_t max_records = 20;

using Counts = std::array<std::size_t, candidates.size()>;

struct Sample {
  std::vector<Counts> complete;
  Counts first = {};  // also when it is not complete
};

// Counts outside quotes. Whether a quote opens a field cannot be told before the separator is
// known, so every quote counts; that is right for all files that RFC 4180 allows.
Sample count_separators(std::string_view beginning, bool is_whole) {
  Sample sample;
  Counts counts = {};
  bool in_quotes = false;
  bool is_blank = true;
  const auto end_record = [&](bool is_complete) {
    if (is_blank) return;
    if (sample.complete.empty()) sample.first = counts;
    if (is_complete) sample.complete.push_back(counts);
    counts = {};
    is_blank = true;
  };
  for (const char c : beginning) {
    if (c == '"') in_quotes = !in_quotes;
    if (!in_quotes && (c == '\n' || c == '\r')) {
      end_record(true);
      if (sample.complete.size() == max_records) return sample;
      continue;
    }
    if (c != ' ') is_blank = false;
    if (in_quotes) continue;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
      if (c == candidates[i]) ++counts[i];
    }
  }
  end_record(is_whole && !in_quotes);
  return sample;
}

}  // namespace

char detect_separator(std::string_view beginning, bool is_whole) {
  const Sample sample = count_separators(beginning, is_whole);
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (sample.first[i] == 0) continue;
    bool is_steady = true;
    for (const Counts& counts : sample.complete) is_steady &= counts[i] == sample.first[i];
    if (is_steady) return candidates[i];
  }
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (sample.first[i] > 0) return candidates[i];
  }
  return ',';
}

void check_separator(char separator) {
  const bool is_letter_or_digit = (separator >= 'a' && separator <= 'z') ||
                                  (separator >= 'A' && separator <= 'Z') ||
                                  (separator >= '0' && separator <= '9');
  const bool is_printable = separator > ' ' && separator <= '~';
  const bool is_part_of_cells =
      separator == '"' || separator == '.' || separator == '-' || separator == '+';
  if (separator == '\t' || (is_printable && !is_letter_or_digit && !is_part_of_cells)) return;
  throw Error(ErrorKind::usage,
              fmt::format("cannot be {}, which cells, quotes or lines are made of; use a comma, a "
                          "semicolon, a tab or a sign such as |",
                          quoted({&separator, 1})));
}

char parse_separator(std::string_view text) {
  if (text == "comma") return ',';
  if (text == "semicolon") return ';';
  if (text == "tab" || text == "\\t") return '\t';
  if (text.size() != 1) {
    throw Error(ErrorKind::usage,
                fmt::format("must be one character or one of comma, semicolon and tab, not {}",
                            quoted(text)));
  }
  check_separator(text.front());
  return text.front();
}

std::string separator_name(char separator) {
  if (separator == ',') return "comma";
  if (separator == ';') return "semicolon";
  if (separator == '\t') return "tab";
  return {separator};
}

}  // namespace covary
