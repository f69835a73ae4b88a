// Any text either is a date, which is written in its format as a text that is the same date again,
// or is none; and any text either is a format that dates can be written in, or is none.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <covary/table.h>

#include "fuzz/claims.h"
#include "table/cell.h"
#include "table/iso_date.h"
#include "table/written_date.h"

namespace covary {
namespace {

// The years 0001 to 9999, with offsets of a day at the most.
constexpr double first_day = -719163.0;
constexpr double last_day = 2932897.0;

void require_moment(bool has_time, double value) {
  const double days = has_time ? value / seconds_per_day : value;
  require(std::isfinite(value) && days >= first_day && days <= last_day,
          "a date is in the calendar");
  require(has_time || value == std::floor(value), "a day is a whole number");
}

void check_iso(std::string_view text) {
  const std::optional<IsoDate> date = parse_iso_date(text);
  if (!date) return;
  require_moment(date->has_time, date->value);
  require(parse_cell(text, DecimalComma::never).kind != CellKind::text, "such a cell is a date");
  if (date->has_time) return;
  const std::string again = format_value(ColumnType::date, date->value);
  require(parse_iso_date(again)->value == date->value, "an ISO date is written as the same day");
}

void check_written(std::string_view text) {
  const std::optional<WrittenDate> date = parse_written_date(text);
  if (!date) return;
  require_moment(date->has_time, date->value);
  if (date->format == "YYYY-MM-DD") return;  // ISO but for its zeros
  require(is_date_format(date->format), "the format of a date is one");
  require(date->names_two_numbers == with_swapped_order(date->format).has_value(),
          "two numbers are there in formats that can be read in two orders");
  const double days = date->has_time ? std::floor(date->value / seconds_per_day) : date->value;
  const bool is_month_first = date->order == DayOrderOfCell::month_first;
  const std::string format = is_month_first ? *with_swapped_order(date->format) : date->format;
  for (const std::string& one : {format, shortest_format(format), long_name_format(format)}) {
    const std::string again = written_day(one, days);
    if (const std::optional<IsoDate> iso = parse_iso_date(again)) {
      require(iso->value == days, "what looks like ISO is the same day");
      continue;
    }
    const std::optional<WrittenDate> read = parse_written_date(again);
    require(read.has_value(), "what a format writes can be read");
    const bool is_open = is_month_first && read->order == DayOrderOfCell::open;
    require((is_open ? with_swapped_day(ColumnType::date, read->value) : read->value) == days,
            "what a format writes is the same day again");
  }
}

void check_format(std::string_view text) {
  if (!is_date_format(text)) return;
  const std::string format(text);
  for (const double days : {-300000.0, -1.0, 0.0, 19723.0, 20088.0, 100000.0}) {
    require(!format_date(ColumnType::date, format, days).empty(), "a format writes something");
    require(!format_date(ColumnType::date_time, format, days * seconds_per_day).empty(),
            "a format writes moments");
  }
  require(padded_format(shortest_format(padded_format(text))) == padded_format(text),
          "a short format is the padded one again");
}

}  // namespace
}  // namespace covary

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer calls it so
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = covary::text_of(data, size);
  covary::check_iso(text);
  covary::check_written(text);
  covary::check_format(text);
  return 0;
}
