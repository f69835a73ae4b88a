#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <covary/message_text.h>
#include <covary/settings.h>

namespace covary::settings {

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string_view word = text.substr(0, comma);
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    if (!word.empty()) words.emplace_back(word);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return words;
}

std::string join_list(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ","));
}

namespace {

void check_range(std::uint64_t number, const WholeNumbers& allowed, std::string_view given) {
  if (number < allowed.at_least) {
    throw Error(ErrorKind::usage, fmt::format("must be a whole number of at least {}, not {}",
                                              allowed.at_least, given));
  }
  if (number > allowed.at_most) {
    throw Error(ErrorKind::usage, fmt::format("must be a whole number of at most {}, not {}",
                                              allowed.at_most, given));
  }
}

bool is_duration(double seconds) { return seconds >= 0.0 && std::isfinite(seconds); }

[[noreturn]] void fail_seconds(std::string_view given) {
  throw Error(ErrorKind::usage,
              fmt::format("must be a number of seconds, zero or more, not {}", given));
}

}  // namespace

std::uint64_t parse_whole_number(std::string_view text, const WholeNumbers& allowed) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string given = quoted(text);
  const bool is_whole = end == text.data() + text.size();
  if (is_whole && error == std::errc::result_out_of_range) {
    throw Error(ErrorKind::usage, fmt::format("must be a whole number of at most {}, not {}",
                                              allowed.at_most, given));
  }
  if (error != std::errc() || !is_whole) {
    throw Error(ErrorKind::usage, fmt::format("must be a whole number of at least {}, not {}",
                                              allowed.at_least, given));
  }
  check_range(number, allowed, given);
  return number;
}

void check_whole_number(std::uint64_t number, const WholeNumbers& allowed) {
  check_range(number, allowed, std::to_string(number));
}

double parse_seconds(std::string_view text) {
  double number = 0.0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || !is_duration(number)) {
    fail_seconds(quoted(text));
  }
  return number;
}

void check_seconds(double number) {
  if (!is_duration(number)) fail_seconds(number_text(number));
}

std::string number_text(double number) { return fmt::format("{}", number); }

}  // namespace covary::settings
