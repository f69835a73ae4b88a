#include "explain/quantity_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include <covary/calendar.h>

namespace covary {
namespace {

constexpr double seconds_per_day = 86400.0;

struct Unit {
  double days;
  double from;  // used from so many of itself on
  std::string_view name;
};
constexpr Unit units[] = {
    {365.2425, 0.95, "year"},
    {365.2425 / 12.0, 1.95, "month"},
    {7.0, 0.95, "week"},
    {1.0, 0.95, "day"},
    {1.0 / 24.0, 0.95, "hour"},
    {1.0 / 1440.0, 0.95, "minute"},
    {1.0 / seconds_per_day, 0.0, "second"},
};

std::string duration_text(double days) {
  for (const Unit& unit : units) {
    const double amount = days / unit.days;
    if (amount < unit.from) continue;
    const std::string number = number_text(amount, 3);
    return fmt::format("{} {}{}", number, unit.name, number == "1" ? "" : "s");
  }
  return "0 seconds";
}

}  // namespace

std::string length_text(const Scaling& input, double scaled_length) {
  const double raw = scaled_length * input.factor;
  if (input.type == ColumnType::date) return duration_text(raw);
  if (input.type == ColumnType::date_time) return duration_text(raw / seconds_per_day);
  return input.days_a_unit > 0.0 ? duration_text(raw * input.days_a_unit) : number_text(raw, 3);
}

std::string place_text(const Scaling& input, double scaled_place) {
  const double raw = input.to_raw(scaled_place);
  return input.type == ColumnType::number ? number_text(raw) : format_value(input.type, raw);
}

std::string number_text(double number, int digits) {
  const double size = std::abs(number);
  if (size >= std::pow(10.0, digits) && size < 1e9) return fmt::format("{:.0f}", number);
  return fmt::format("{:.{}g}", number == 0.0 ? 0.0 : number, digits);
}

bool multiplies(TargetTransform transform) {
  return transform == TargetTransform::log || transform == TargetTransform::log1p;
}

double shown_change(TargetTransform transform, double change) {
  return multiplies(transform) ? 100.0 * std::expm1(change) : change;
}

std::string amount_text(TargetTransform transform, double amount) {
  return multiplies(transform) ? percent_text(std::expm1(amount)) : number_text(amount, 3);
}

std::string percent_text(double share) {
  const double percent = 100.0 * share;
  // Minus zero, and a hundred that is not quite one, would mislead.
  if (std::abs(percent) < 0.05) return "0.0 %";
  if (percent < 100.0 && percent >= 99.95) return "> 99.9 %";
  return fmt::format("{:.1f} %", percent);
}

std::string p_value_text(double p_value) {
  if (p_value < 0.005) return "p < 0.005";
  return fmt::format("p = {:.2g}", p_value);
}

std::string count_word(std::size_t count) {
  constexpr std::array<std::string_view, 13> words = {"no",   "one",    "two",   "three", "four",
                                                      "five", "six",    "seven", "eight", "nine",
                                                      "ten",  "eleven", "twelve"};
  return count < words.size() ? std::string(words[count]) : std::to_string(count);
}

std::string list_text(const std::vector<std::string>& items) {
  std::string text;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (i > 0) text += i + 1 == items.size() ? " and " : ", ";
    text += items[i];
  }
  return text;
}

std::string capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') {
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  }
  return text;
}

std::string with_article(const std::string& noun_phrase) {
  const bool is_vowel =
      !noun_phrase.empty() && std::string_view("aeiou").find(noun_phrase[0]) != std::string::npos;
  return (is_vowel ? "an " : "a ") + noun_phrase;
}

}  // namespace covary
