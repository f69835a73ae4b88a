// The options of a forecast as users meet them.
#include <algorithm>
#include <charconv>
#include <string>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/forecast.h>
#include <covary/message_text.h>

namespace covary {
namespace {

constexpr std::uint64_t max_horizon = 10'000;
constexpr std::uint64_t max_origins = 1'000;

[[noreturn]] void refuse_level(std::string_view text) {
  throw Error(
      ErrorKind::usage,
      fmt::format("must be numbers between 0 and 100, as in 80,95 for 80 % and 95 %, not {}",
                  quoted(text)));
}

void check_levels(const std::vector<double>& levels) {
  if (levels.empty()) refuse_level("");
  for (const double level : levels) {
    if (!(level > 0.0 && level < 100.0)) refuse_level(shown_number(level));
    if (std::count(levels.begin(), levels.end(), level) > 1) {
      throw Error(ErrorKind::usage, fmt::format("names {} twice", shown_number(level)));
    }
  }
}

std::vector<double> parse_levels(std::string_view text) {
  std::vector<double> levels;
  for (const std::string& word : settings::split_list(text)) {
    double level = 0.0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), level);
    if (error != std::errc() || end != word.data() + word.size()) refuse_level(word);
    levels.push_back(level);
  }
  check_levels(levels);
  return levels;
}

std::string levels_text(const std::vector<double>& levels) {
  std::vector<std::string> words;
  words.reserve(levels.size());
  for (const double level : levels) words.push_back(shown_number(level));
  return settings::join_list(words);
}

}  // namespace

std::string_view to_string(Season season) {
  switch (season) {
    case Season::automatic:
      return "auto";
    case Season::none:
      return "none";
    case Season::year:
      return to_string(CalendarUnit::year);
    case Season::week:
      return to_string(CalendarUnit::week);
    case Season::day:
      return to_string(CalendarUnit::day);
  }
  return {};
}

const std::vector<Setting<ForecastOptions>>& forecast_settings() {
  static const std::vector<Setting<ForecastOptions>> table = {
      settings::whole_number("horizon", &ForecastOptions::horizon, {1, max_horizon},
                             "Steps to forecast; one is that from row to row: a month, a week, a "
                             "day, an hour, ..."),
      {"level", "LIST", "The intervals, in %.",
       [](ForecastOptions& options, std::string_view text) { options.levels = parse_levels(text); },
       [](const ForecastOptions& options) { return levels_text(options.levels); },
       [](const ForecastOptions& options) { check_levels(options.levels); }},
      settings::choice<ForecastOptions, Season>(
          "season", &ForecastOptions::season,
          {{"auto", Season::automatic},
           {"none", Season::none},
           {"year", Season::year},
           {"week", Season::week},
           {"day", Season::day}},
          "What repeats itself: the season of the seasonal naive forecast and of MASE, and the "
          "only word of the calendar that kernels have. auto: a year of months and quarters, a "
          "week of days, a day of hours; and every word that suits the data."),
      settings::whole_number("backtest", &ForecastOptions::backtest, {0, max_origins},
                             "Also forecast so many of the last stretches of the horizon, each "
                             "from the rows before it alone, and score that."),
  };
  return table;
}

}  // namespace covary
