#include "table/step_words.h"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "table/calendar_days.h"
#include "table/iso_date.h"

namespace covary {
namespace {

std::string counted(std::int64_t count, std::string_view noun) {
  return count == 1 ? std::string(noun) : fmt::format("{} {}s", count, noun);
}

}  // namespace

std::string duration_text(double seconds) {
  constexpr std::array<std::pair<std::string_view, double>, 4> nouns = {
      {{"week", 7.0 * seconds_per_day},
       {"day", seconds_per_day},
       {"hour", 3600.0},
       {"minute", 60.0}}};
  for (const auto& [noun, length] : nouns) {
    const double count = seconds / length;
    if (count >= 1.0 && count == std::round(count))
      return counted(static_cast<std::int64_t>(count), noun);
  }
  return seconds == 1.0 ? "second" : fmt::format("{} seconds", seconds);
}

std::string month_text(std::int64_t months) {
  if (months % months_per_year == 0) return counted(months / months_per_year, "year");
  return months == 3 ? "quarter" : counted(months, "month");
}

std::string step_phrase(const std::string& step) {
  if (step.front() >= '0' && step.front() <= '9') return step;
  return (step == "hour" ? "an " : "a ") + step;
}

}  // namespace covary
