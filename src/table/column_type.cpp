#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <covary/table.h>

#include "table/iso_date.h"
#include "table/written_date.h"

namespace covary {
namespace {

// Days beyond these years are shown as plain numbers: nobody's data reaches there.
constexpr double max_days = 365.0 * 9000;

bool is_in_calendar(ColumnType type, double value) {
  if (type == ColumnType::date) return std::abs(value) < max_days;
  return type == ColumnType::date_time && std::abs(value) < max_days * seconds_per_day;
}

// To the day or to the second, with the mark between them that suits the format.
std::string moment_text(ColumnType type, std::string_view format, char mark, double value) {
  if (type == ColumnType::date) return written_day(format, std::round(value));
  const double seconds = std::round(value);
  const double days = std::floor(seconds / seconds_per_day);
  const auto rest = static_cast<int>(seconds - days * seconds_per_day);
  return fmt::format("{}{}{:02}:{:02}:{:02}", written_day(format, days), mark, rest / 3600,
                     rest / 60 % 60, rest % 60);
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
  if (!is_in_calendar(type, value)) return fmt::format("{:.{}g}", value, digits);
  return moment_text(type, "YYYY-MM-DD", 'T', value);
}

std::string format_date(ColumnType type, const std::string& date_format, double value) {
  if (date_format.empty() || !is_in_calendar(type, value)) return format_value(type, value);
  return moment_text(type, date_format, ' ', value);
}

}  // namespace covary
