#include "table/iso_date.h"

#include <charconv>
#include <chrono>
#include <cstddef>

namespace covary {
namespace {

// Takes text off its front; every member says whether the text went on as asked.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }

  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // Exactly `count` digits that say a number in the given range.
  bool take_digits(std::size_t count, int lowest, int highest, int& number) {
    if (rest_.size() < count) return false;
    number = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (rest_[i] < '0' || rest_[i] > '9') return false;
      number = 10 * number + (rest_[i] - '0');
    }
    rest_.remove_prefix(count);
    return number >= lowest && number <= highest;
  }

  // ".25" as 0.25; any number of digits, but at least one.
  bool take_fraction(double& fraction) {
    std::size_t size = 1;
    while (size < rest_.size() && rest_[size] >= '0' && rest_[size] <= '9') ++size;
    if (size == 1) return false;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + size, fraction);
    // Out of range can only be a fraction that is zero to within 1e-308.
    if (error != std::errc()) fraction = 0.0;
    rest_.remove_prefix(size);
    return true;
  }

  bool starts_with(char c) const { return !rest_.empty() && rest_.front() == c; }

 private:
  std::string_view rest_;
};

// Seconds after midnight; the whole ones apart, since sums of those are exact.
bool take_time(Scanner& scanner, double& seconds, double& fraction) {
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (!scanner.take_digits(2, 0, 23, hour) || !scanner.take(':') ||
      !scanner.take_digits(2, 0, 59, minute)) {
    return false;
  }
  if (scanner.take(':')) {
    if (!scanner.take_digits(2, 0, 59, second)) return false;
    if (scanner.starts_with('.') && !scanner.take_fraction(fraction)) return false;
  }
  seconds = 3600.0 * hour + 60.0 * minute + second;
  return true;
}

// Seconds east of Greenwich.
bool take_offset(Scanner& scanner, double& seconds) {
  if (scanner.take('Z')) return true;
  const bool is_west = scanner.starts_with('-');
  int hours = 0;
  int minutes = 0;
  if (!scanner.take(is_west ? '-' : '+') || !scanner.take_digits(2, 0, 23, hours)) return false;
  if (!scanner.at_end()) {
    scanner.take(':');
    if (!scanner.take_digits(2, 0, 59, minutes)) return false;
  }
  seconds = (is_west ? -1.0 : 1.0) * (3600.0 * hours + 60.0 * minutes);
  return true;
}

}  // namespace

std::optional<IsoDate> parse_iso_date(std::string_view text) {
  Scanner scanner(text);
  int year = 0;
  int month = 0;
  int day = 1;
  if (!scanner.take_digits(4, 1, 9999, year) || !scanner.take('-') ||
      !scanner.take_digits(2, 1, 12, month)) {
    return std::nullopt;
  }
  const bool has_day = scanner.take('-');
  if (has_day && !scanner.take_digits(2, 1, 31, day)) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  const auto days = static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  if (scanner.at_end()) return IsoDate{.value = days};

  double seconds = 0.0;
  double fraction = 0.0;
  double offset = 0.0;
  if (!has_day || (!scanner.take('T') && !scanner.take(' ')) ||
      !take_time(scanner, seconds, fraction)) {
    return std::nullopt;
  }
  const bool has_offset = !scanner.at_end();
  if (has_offset && (!take_offset(scanner, offset) || !scanner.at_end())) return std::nullopt;
  const double whole = days * seconds_per_day - offset + seconds;
  return IsoDate{.has_time = true, .has_offset = has_offset, .value = whole + fraction};
}

}  // namespace covary
