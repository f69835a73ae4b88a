#include <chrono>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include <covary/table.h>

#include "table/iso_date.h"

namespace covary {
namespace {

// Days beyond these years are shown as plain numbers: nobody's data reaches there.
constexpr double max_days = 365.0 * 9000;

std::string format_date(double days) {
  const std::chrono::year_month_day date{
      std::chrono::sys_days{std::chrono::days{static_cast<int>(std::floor(days))}}};
  return fmt::format("{:04}-{:02}-{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
}

}  // namespace

std::string to_string(ColumnType type) {
  switch (type) {
    case ColumnType::number:
      return "number";
    case ColumnType::date:
      return "date";
    case ColumnType::date_time:
      return "date_time";
    case ColumnType::text:
      return "text";
    case ColumnType::category:
      return "category";
  }
  return {};
}

std::string format_value(ColumnType type, double value, int digits) {
  if (type == ColumnType::date && std::abs(value) < max_days) {
    return format_date(std::round(value));
  }
  if (type == ColumnType::date_time && std::abs(value) < max_days * seconds_per_day) {
    const double seconds = std::round(value);
    const double days = std::floor(seconds / seconds_per_day);
    const auto rest = static_cast<int>(seconds - days * seconds_per_day);
    return fmt::format("{}T{:02}:{:02}:{:02}", format_date(days), rest / 3600, rest / 60 % 60,
                       rest % 60);
  }
  return fmt::format("{:.{}g}", value, digits);
}

}  // namespace covary
