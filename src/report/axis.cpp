#include "report/axis.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace covary {
namespace {

constexpr double seconds_per_day = 86400.0;
// Where dates are shown as such; format_value() has the same limit.
constexpr double max_days = 365.0 * 9000.0;

std::vector<Tick> number_ticks(const FigureAxis& axis, std::size_t wanted) {
  const double range = axis.high - axis.low;
  if (!(range > 0.0) || !std::isfinite(range)) return {};
  const double rough = range / static_cast<double>(std::max<std::size_t>(wanted, 1));
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10.0 * power;
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1.0 - 1e-9)) {
      step = factor * power;
      break;
    }
  }
  const double largest = std::max(std::abs(axis.low), std::abs(axis.high));
  const bool is_plain = largest < 1e6 && step >= 1e-4;
  const int decimals = std::max(0, static_cast<int>(-std::floor(std::log10(step) + 1e-9)));
  std::vector<Tick> result;
  const double first = std::ceil(axis.low / step - 1e-9);
  const auto count = static_cast<std::size_t>(std::floor(axis.high / step + 1e-9) - first + 1.0);
  for (std::size_t i = 0; i < std::min<std::size_t>(count, 100); ++i) {
    const double multiple = first + static_cast<double>(i);
    const double place = multiple == 0.0 ? 0.0 : multiple * step;  // no minus before a zero
    std::string text =
        is_plain ? fmt::format("{:.{}f}", place, decimals) : fmt::format("{:.{}g}", place, 4);
    // A minus as wide as a plus, as print has it.
    if (text[0] == '-') text = "−" + text.substr(1);
    result.push_back({place, std::move(text)});
  }
  return result;
}

struct CalendarStep {
  int months;      // whole months, or
  double seconds;  // a fixed time
};
constexpr std::array calendar_steps = {
    CalendarStep{0, 1},     CalendarStep{0, 5},      CalendarStep{0, 15},
    CalendarStep{0, 30},    CalendarStep{0, 60},     CalendarStep{0, 300},
    CalendarStep{0, 900},   CalendarStep{0, 1800},   CalendarStep{0, 3600},
    CalendarStep{0, 10800}, CalendarStep{0, 21600},  CalendarStep{0, 43200},
    CalendarStep{0, 86400}, CalendarStep{0, 172800}, CalendarStep{0, 604800},
    CalendarStep{1, 0},     CalendarStep{3, 0},      CalendarStep{6, 0},
    CalendarStep{12, 0},    CalendarStep{24, 0},     CalendarStep{60, 0},
    CalendarStep{120, 0},   CalendarStep{240, 0},    CalendarStep{600, 0},
    CalendarStep{1200, 0},  CalendarStep{6000, 0},   CalendarStep{12000, 0}};
constexpr double seconds_per_month = 365.2425 / 12.0 * seconds_per_day;

double seconds_of(const CalendarStep& step) {
  return step.months > 0 ? step.months * seconds_per_month : step.seconds;
}

std::string calendar_text(double seconds, const CalendarStep& step) {
  std::string text = format_value(ColumnType::date_time, seconds);  // YYYY-MM-DDThh:mm:ss
  const std::size_t day_end = text.find('T');
  if (day_end == std::string::npos) return text;
  const std::string day = text.substr(0, day_end);
  if (step.months % 12 == 0 && step.months > 0) return day.substr(0, day.size() - 6);
  if (step.months > 0) return day.substr(0, day.size() - 3);
  if (step.seconds >= seconds_per_day) return day.substr(day.size() - 5);
  const std::string time = text.substr(day_end + 1);
  return step.seconds >= 60.0 ? time.substr(0, 5) : time;
}

// In seconds since 1970.
std::vector<double> calendar_places(double low, double high, const CalendarStep& step) {
  std::vector<double> places;
  if (step.months == 0) {
    const double first = std::ceil(low / step.seconds);
    const auto count = static_cast<std::size_t>(std::floor(high / step.seconds) - first + 1.0);
    for (std::size_t i = 0; i < count; ++i) {
      places.push_back((first + static_cast<double>(i)) * step.seconds);
    }
    return places;
  }
  const std::chrono::sys_days first{
      std::chrono::days{static_cast<int>(std::floor(low / seconds_per_day))}};
  const std::chrono::year_month_day date{first};
  int month = static_cast<int>(date.year()) * 12 +
              static_cast<int>(static_cast<unsigned>(date.month())) - 1;
  month = static_cast<int>(std::floor(static_cast<double>(month) / step.months)) * step.months;
  while (true) {
    const std::chrono::year_month_day next{
        std::chrono::year{static_cast<int>(std::floor(month / 12.0))},
        std::chrono::month{static_cast<unsigned>(((month % 12) + 12) % 12) + 1U},
        std::chrono::day{1}};
    const double place =
        seconds_per_day *
        static_cast<double>(std::chrono::sys_days{next}.time_since_epoch().count());
    if (place > high) return places;
    if (place >= low) places.push_back(place);
    month += step.months;
  }
}

std::vector<Tick> calendar_ticks(const FigureAxis& axis, std::size_t wanted, double unit) {
  const double low = axis.low * unit;
  const double high = axis.high * unit;
  if (!(high > low)) return {};
  const double rough = (high - low) / static_cast<double>(std::max<std::size_t>(wanted, 1));
  const auto step = std::find_if(calendar_steps.begin(), calendar_steps.end() - 1,
                                 [&](const CalendarStep& s) { return seconds_of(s) >= rough; });
  std::vector<Tick> result;
  for (const double place : calendar_places(low, high, *step)) {
    result.push_back({place / unit, calendar_text(place, *step)});
  }
  return result;
}

std::vector<Tick> level_ticks(const FigureAxis& axis, std::size_t wanted) {
  const std::size_t at_most = 2 * std::max<std::size_t>(wanted, 1);
  const std::size_t step = (axis.levels.size() + at_most - 1) / at_most;
  std::vector<Tick> result;
  for (std::size_t i = 0; i < axis.levels.size(); i += step) {
    result.push_back({static_cast<double>(i), axis.levels[i]});
  }
  return result;
}

}  // namespace

std::vector<Tick> ticks(const FigureAxis& axis, std::size_t wanted) {
  if (axis.type == ColumnType::category) return level_ticks(axis, wanted);
  const double unit = axis.type == ColumnType::date ? seconds_per_day : 1.0;
  const double furthest = unit * std::max(std::abs(axis.low), std::abs(axis.high));
  const bool is_calendar = axis.type == ColumnType::date || axis.type == ColumnType::date_time;
  if (is_calendar && furthest < max_days * seconds_per_day) {
    return calendar_ticks(axis, wanted, unit);
  }
  return number_ticks(axis, wanted);
}

std::string place_text(const FigureAxis& axis, double place, int digits) {
  if (axis.type != ColumnType::category) return format_value(axis.type, place, digits);
  return axis.levels[static_cast<std::size_t>(place)];
}

FigureAxis axis_over(const std::vector<double>& values, double margin) {
  FigureAxis axis;
  bool is_first = true;
  // An axis has a range, which has to be a number too, with its margin.
  constexpr double farthest = 0.4 * std::numeric_limits<double>::max();
  for (const double number : values) {
    if (!std::isfinite(number)) continue;
    const double value = std::clamp(number, -farthest, farthest);
    axis.low = is_first ? value : std::min(axis.low, value);
    axis.high = is_first ? value : std::max(axis.high, value);
    is_first = false;
  }
  if (is_first) return axis;
  double room = margin * (axis.high - axis.low);
  if (axis.high <= axis.low) room = std::max(0.5 * std::abs(axis.high), 0.5);
  axis.low -= room;
  axis.high += room;
  return axis;
}

std::vector<double> even_places(double low, double high, std::size_t count) {
  std::vector<double> places;
  for (std::size_t i = 0; i < count; ++i) {
    const double t = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 0.0;
    places.push_back(low + t * (high - low));
  }
  return places;
}

std::vector<double> places_along(const FigureAxis& axis, std::size_t count) {
  if (axis.type != ColumnType::category) return even_places(axis.low, axis.high, count);
  const std::size_t num_levels = axis.levels.size();
  return even_places(0.0, static_cast<double>(num_levels) - 1.0, num_levels);
}

std::vector<double> cells_along(const FigureAxis& axis, std::size_t count) {
  if (axis.type == ColumnType::category) return places_along(axis, count);
  const double half = 0.5 * (axis.high - axis.low) / static_cast<double>(count);
  return even_places(axis.low + half, axis.high - half, count);
}

}  // namespace covary
