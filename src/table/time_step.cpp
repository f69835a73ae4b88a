#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/message_text.h>
#include <covary/time_step.h>

#include "table/iso_date.h"

namespace covary {
namespace {

constexpr std::size_t least_rows = 3;
constexpr double ticks_per_second = 1000.0;
constexpr std::int64_t months_per_year = 12;
constexpr std::int64_t days_per_week = 7;
constexpr std::int64_t weekdays_per_week = 5;

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a / b - ((a % b != 0 && (a < 0) != (b < 0)) ? 1 : 0);
}

std::int64_t whole(double number) { return static_cast<std::int64_t>(std::llround(number)); }

// ---- days ----

struct Day {
  std::int64_t month = 0;  // since January of the year 0
  int day = 1;
  int month_length = 31;
};

std::chrono::year_month_day_last last_day(std::int64_t month) {
  const std::int64_t year = floor_div(month, months_per_year);
  return std::chrono::year(static_cast<int>(year)) /
         std::chrono::month(static_cast<unsigned>(month - year * months_per_year + 1)) /
         std::chrono::last;
}

int length_of(std::int64_t month) {
  return static_cast<int>(static_cast<unsigned>(last_day(month).day()));
}

Day day_of(std::int64_t days) {
  const std::chrono::year_month_day date{
      std::chrono::sys_days(std::chrono::days(static_cast<int>(days)))};
  const std::int64_t month =
      months_per_year * static_cast<int>(date.year()) + static_cast<unsigned>(date.month()) - 1;
  return {month, static_cast<int>(static_cast<unsigned>(date.day())), length_of(month)};
}

std::int64_t days_at(std::int64_t month, int day) {
  const std::chrono::year_month_day_last last = last_day(month);
  const std::chrono::sys_days first{last.year() / last.month() / 1};
  return first.time_since_epoch().count() + std::min(day, length_of(month)) - 1;
}

// Monday is 0; 1970-01-01 was a Thursday.
std::int64_t place_in_week(std::int64_t days) {
  return days + 3 - days_per_week * floor_div(days + 3, days_per_week);
}

// Working days since a Monday; those of a weekend are taken for the Friday before.
std::int64_t weekday_index(std::int64_t days) {
  return weekdays_per_week * floor_div(days + 3, days_per_week) +
         std::min(place_in_week(days), weekdays_per_week - 1);
}

std::int64_t day_of_weekday_index(std::int64_t index) {
  const std::int64_t week = floor_div(index, weekdays_per_week);
  return days_per_week * week + (index - weekdays_per_week * week) - 3;
}

// ---- steps ----

// The step that divides all distances between neighbours, if most of them are just that.
std::optional<std::int64_t> common_step(const std::vector<std::int64_t>& places) {
  std::int64_t step = 0;
  for (std::size_t i = 1; i < places.size(); ++i) step = std::gcd(step, places[i] - places[i - 1]);
  std::size_t num_single = 0;
  for (std::size_t i = 1; i < places.size(); ++i) {
    const std::int64_t distance = places[i] - places[i - 1];
    if (distance <= 0) return std::nullopt;
    if (distance == step) ++num_single;
  }
  return 2 * num_single >= places.size() ? std::optional(step) : std::nullopt;
}

// The commonest distance between neighbours, and where the first is that is no multiple of it.
struct Unevenness {
  std::int64_t usual = 0;
  std::size_t first = 0;  // from here to the next one
};

Unevenness unevenness_of(const std::vector<std::int64_t>& places) {
  std::vector<std::int64_t> distances;
  for (std::size_t i = 1; i < places.size(); ++i) distances.push_back(places[i] - places[i - 1]);
  std::vector<std::int64_t> sorted = distances;
  std::sort(sorted.begin(), sorted.end());
  Unevenness found;
  std::ptrdiff_t most = 0;
  for (auto begin = sorted.begin(); begin != sorted.end();) {
    const auto end = std::upper_bound(begin, sorted.end(), *begin);
    if (end - begin > most) {
      most = end - begin;
      found.usual = *begin;
    }
    begin = end;
  }
  const auto odd = std::find_if(distances.begin(), distances.end(),
                                [&](std::int64_t distance) { return distance % found.usual != 0; });
  const auto other = std::find_if(distances.begin(), distances.end(),
                                  [&](std::int64_t distance) { return distance != found.usual; });
  found.first =
      static_cast<std::size_t>((odd != distances.end() ? odd : other) - distances.begin());
  return found;
}

// ---- numbers ----

double rounded(double value, int decimals) {
  const double power = std::pow(10.0, decimals);
  const double shifted = value * power;
  return std::abs(shifted) < 1e15 ? std::round(shifted) / power : value;
}

// So many as all of these are written with; digits that a step or a double cannot tell apart do not
// count.
int decimals_of(const std::vector<double>& values, double step) {
  const double largest = std::max(std::abs(values.front()), std::abs(values.back()));
  const double negligible =
      std::max(1e-9 * step, 8.0 * std::numeric_limits<double>::epsilon() * largest);
  const int most = std::clamp(static_cast<int>(std::ceil(-std::log10(step))) + 9, 0, 15);
  for (int decimals = 0; decimals < most; ++decimals) {
    const bool is_enough = std::all_of(values.begin(), values.end(), [&](double value) {
      return std::abs(value - rounded(value, decimals)) <= negligible;
    });
    if (is_enough) return decimals;
  }
  return most;
}

// What numbers that count years may divide a year into.
struct YearPart {
  double per_year = 0.0;
  int steps = 0;
};
constexpr std::array<YearPart, 6> year_parts = {{{4.0, 4},
                                                 {12.0, 12},
                                                 {52.0, 52},
                                                 {days_of_a_year / 7.0, 52},
                                                 {365.0, 365},
                                                 {days_of_a_year, 365}}};
constexpr int days_a_year = 365;

constexpr double slack_of_numbers = 0.1;  // decimals are cut off, months differ in length

// Whether a distance is not one step, two, or any whole number of them.
bool is_odd(double distance, double step) {
  const double count = distance / step;
  return !(count > 0.5) || std::abs(count - std::round(count)) > slack_of_numbers;
}

struct NumberGrid {
  double step = 0.0;
  double origin = 0.0;
  double worst = 0.0;  // distance of a value from its place, in steps
};

// The grid of about that step on which the values lie, most of them on neighbouring places. With
// `is_exact`, of that step to the last digit; otherwise the one that fits first and last value.
std::optional<NumberGrid> grid_of(const std::vector<double>& values, double step, bool is_exact) {
  std::vector<double> places = {0.0};
  std::size_t num_single = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const double distance = (values[i] - values[i - 1]) / step;
    if (is_odd(values[i] - values[i - 1], step)) return std::nullopt;
    if (distance < 1.5) ++num_single;
    places.push_back(places.back() + std::round(distance));
  }
  if (2 * num_single < values.size()) return std::nullopt;
  NumberGrid grid;
  grid.step = is_exact ? step : (values.back() - values.front()) / places.back();
  for (std::size_t i = 0; i < values.size(); ++i) {
    grid.origin += (values[i] - places[i] * grid.step) / static_cast<double>(values.size());
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    grid.worst =
        std::max(grid.worst, std::abs(values[i] - grid.origin - places[i] * grid.step) / grid.step);
  }
  return grid;
}

double median_distance(const std::vector<double>& values) {
  std::vector<double> distances;
  for (std::size_t i = 1; i < values.size(); ++i) distances.push_back(values[i] - values[i - 1]);
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

// ---- messages ----

std::string counted(std::int64_t count, std::string_view noun) {
  return count == 1 ? std::string(noun) : fmt::format("{} {}s", count, noun);
}

std::string duration_text(double seconds) {
  constexpr std::array<std::pair<std::string_view, double>, 4> nouns = {
      {{"week", 7.0 * seconds_per_day},
       {"day", seconds_per_day},
       {"hour", 3600.0},
       {"minute", 60.0}}};
  for (const auto& [noun, length] : nouns) {
    const double count = seconds / length;
    if (count >= 1.0 && count == std::round(count)) return counted(whole(count), noun);
  }
  return seconds == 1.0 ? "second" : fmt::format("{} seconds", seconds);
}

std::string month_text(std::int64_t months) {
  if (months % months_per_year == 0) return counted(months / months_per_year, "year");
  return months == 3 ? "quarter" : counted(months, "month");
}

std::string with_article(const std::string& step) {
  if (step.front() >= '0' && step.front() <= '9') return step;
  return (step == "hour" ? "an " : "a ") + step;
}

}  // namespace

std::string time_text(ColumnType type, double time) {
  return type == ColumnType::number ? shown_number(time) : format_value(type, time);
}

std::int64_t TimeStep::index_of(double time) const {
  const auto steps = [&](double distance) { return whole(distance / count_); };
  const auto days = [&] {
    const double day_length = type_ == ColumnType::date_time ? seconds_per_day : 1.0;
    return whole(std::floor((time + 0.5 / ticks_per_second) / day_length));
  };
  switch (unit_) {
    case Unit::month:
      return steps(static_cast<double>(day_of(days()).month) - origin_);
    case Unit::weekday:
      return weekday_index(days()) - whole(origin_);
    case Unit::number:
    case Unit::second:
    case Unit::day:
      break;
  }
  return steps(time - origin_);
}

double TimeStep::time_at(std::int64_t index) const {
  const double distance = static_cast<double>(index) * count_;
  const auto at_day = [&](std::int64_t days) {
    const auto count = static_cast<double>(days);
    return type_ == ColumnType::date_time ? count * seconds_per_day + time_of_day_ : count;
  };
  switch (unit_) {
    case Unit::month:
      return at_day(days_at(whole(origin_ + distance), day_of_month_));
    case Unit::weekday:
      return at_day(day_of_weekday_index(whole(origin_) + index));
    case Unit::number:
      return rounded(origin_ + distance, decimals_);
    case Unit::second:
    case Unit::day:
      break;
  }
  return origin_ + distance;
}

std::size_t TimeStep::steps_in(CalendarUnit stretch) const {
  if (stretch == CalendarUnit::none) return 0;
  double steps = 0.0;
  switch (unit_) {
    case Unit::number:
      steps = per_year_ * in_years(stretch);
      if (stretch == CalendarUnit::week && per_year_ == days_a_year) steps = 7.0;
      break;
    case Unit::month:
      steps = stretch == CalendarUnit::year ? static_cast<double>(months_per_year) / count_ : 0.0;
      break;
    case Unit::weekday:
      steps =
          static_cast<double>(weekdays_per_week) * in_years(stretch) / in_years(CalendarUnit::week);
      if (stretch == CalendarUnit::year) steps = std::round(steps);
      break;
    case Unit::second:
    case Unit::day: {
      const double in_days = unit_ == Unit::day ? count_ : count_ / seconds_per_day;
      steps = in_years(stretch) * days_of_a_year / in_days;
      if (stretch == CalendarUnit::year) steps = std::round(steps);
      break;
    }
  }
  constexpr double slack = 1e-9;
  if (std::abs(steps - std::round(steps)) > slack || steps < 2.0 - slack) return 0;
  return static_cast<std::size_t>(whole(steps));
}

CalendarUnit TimeStep::usual_season() const {
  switch (unit_) {
    case Unit::month:
      return CalendarUnit::year;
    case Unit::weekday:
      return CalendarUnit::week;
    case Unit::day:
      return count_ == 1.0 ? CalendarUnit::week : CalendarUnit::none;
    case Unit::second:
      if (count_ < seconds_per_day) return CalendarUnit::day;
      return count_ == seconds_per_day ? CalendarUnit::week : CalendarUnit::none;
    case Unit::number:
      break;
  }
  if (per_year_ == 0) return CalendarUnit::none;
  if (per_year_ <= months_per_year) return CalendarUnit::year;
  return per_year_ == days_a_year ? CalendarUnit::week : CalendarUnit::none;
}

std::string TimeStep::words() const {
  switch (unit_) {
    case Unit::month:
      return month_text(whole(count_));
    case Unit::weekday:
      return "weekday";
    case Unit::day:
      return duration_text(count_ * seconds_per_day);
    case Unit::second:
      return duration_text(count_);
    case Unit::number:
      break;
  }
  if (per_year_ == 0) return fmt::format("step of {}", shown_number(rounded(count_, decimals_)));
  if (per_year_ <= months_per_year) return month_text(months_per_year / per_year_);
  return per_year_ == days_a_year ? "day" : "week";
}

std::string TimeStep::phrase() const { return with_article(words()); }

// Looks at the times of a column and finds their step, or says why there is none.
class TimeStepFinder {
 public:
  TimeStepFinder(std::span<const double> times, const Scaling& column, std::string place)
      : place_(std::move(place)), column_(column), times_(times.begin(), times.end()) {
    step_.type_ = column.type;
    if (times_.size() < least_rows) {
      refuse(
          fmt::format("{} row{} too few to tell the step from one to the next; at least {} are "
                      "needed",
                      times_.size(), times_.size() == 1 ? " is" : "s are", least_rows));
    }
    // Days and thousandths of a second are whole: a model's times come back from its scale.
    if (!is_number()) {
      for (double& time : times_) time = std::round(time * ticks()) / ticks();
    }
    std::sort(times_.begin(), times_.end());
    const auto repeated = std::adjacent_find(times_.begin(), times_.end());
    if (repeated != times_.end()) {
      refuse(
          fmt::format("{} is there more than once; a forecast needs one row for each time: "
                      "leave out the others or, if the table holds several series, name the "
                      "column that tells them apart with --group",
                      time_text(column.type, *repeated)));
    }
  }

  TimeStep find() {
    if (is_number()) {
      find_numbers();
    } else {
      for (const double time : times_) days_.push_back(whole(std::floor(time / day_length())));
      step_.time_of_day_ = has_time() ? time_of_day(times_.front()) : 0.0;
      if (!find_months()) find_days_or_seconds();
    }
    return step_;
  }

 private:
  bool is_number() const { return column_.type == ColumnType::number; }
  bool has_time() const { return column_.type == ColumnType::date_time; }
  double ticks() const { return has_time() ? ticks_per_second : 1.0; }
  double day_length() const { return has_time() ? seconds_per_day : 1.0; }
  double time_of_day(double time) const {
    return time - day_length() * std::floor(time / day_length());
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorKind::bad_data, fmt::format("{}: {}", place_, what));
  }

  [[noreturn]] void refuse_uneven(std::size_t row, const std::string& usual) const {
    refuse(fmt::format(
        "the times have no regular step: most are {} apart, but {} follows {}; a "
        "forecast needs even steps of months, weeks, days, hours or numbers, in "
        "which rows may be missing",
        usual, time_text(column_.type, times_[row + 1]), time_text(column_.type, times_[row])));
  }

  void find_numbers() {
    std::optional<NumberGrid> best;
    if (column_.counts_years) {
      for (const YearPart& part : year_parts) {
        const std::optional<NumberGrid> grid = grid_of(times_, 1.0 / part.per_year, true);
        if (!grid || (best && best->worst <= grid->worst)) continue;
        best = grid;
        step_.per_year_ = part.steps;
      }
    }
    const double usual = median_distance(times_);
    if (!best) best = grid_of(times_, usual, false);
    if (!best) {
      std::size_t row = 0;
      while (row + 2 < times_.size() && !is_odd(times_[row + 1] - times_[row], usual)) ++row;
      refuse_uneven(row, shown_number(rounded(usual, decimals_of(times_, usual))));
    }
    step_.unit_ = TimeStep::Unit::number;
    step_.count_ = best->step;
    step_.origin_ = best->origin;
    step_.decimals_ = decimals_of(times_, best->step);
  }

  // Whether every row is on the same day of its month, or on its last one.
  bool find_months() {
    std::vector<Day> dates;
    std::vector<std::int64_t> months;
    for (const std::int64_t days : days_) {
      dates.push_back(day_of(days));
      months.push_back(dates.back().month);
    }
    const auto all = [&](auto is_so) { return std::all_of(dates.begin(), dates.end(), is_so); };
    int day_of_month = 1;
    for (const Day& date : dates) day_of_month = std::max(day_of_month, date.day);
    if (all([](const Day& date) { return date.day == date.month_length; })) day_of_month = 31;
    const bool are_monthly =
        all([&](const Day& date) { return date.day == std::min(day_of_month, date.month_length); });
    const bool have_one_time = std::all_of(times_.begin(), times_.end(), [&](double time) {
      return time_of_day(time) == time_of_day(times_.front());
    });
    if (!are_monthly || !have_one_time) return false;
    const std::optional<std::int64_t> found = common_step(months);
    if (!found) {
      const Unevenness uneven = unevenness_of(months);
      refuse_uneven(uneven.first, with_article(month_text(uneven.usual)));
    }
    step_.unit_ = TimeStep::Unit::month;
    step_.count_ = static_cast<double>(*found);
    step_.origin_ = static_cast<double>(months.front());
    step_.day_of_month_ = day_of_month;
    return true;
  }

  void find_days_or_seconds() {
    constexpr std::int64_t least_days_without_weekend = 14;
    std::vector<std::int64_t> places;
    for (const double time : times_) places.push_back(whole(time * ticks()));
    const std::optional<std::int64_t> found = common_step(places);
    if (!found) {
      const Unevenness uneven = unevenness_of(places);
      const double in_seconds =
          static_cast<double>(uneven.usual) / ticks() * (has_time() ? 1.0 : seconds_per_day);
      refuse_uneven(uneven.first, with_article(duration_text(in_seconds)));
    }
    step_.unit_ = has_time() ? TimeStep::Unit::second : TimeStep::Unit::day;
    step_.count_ = static_cast<double>(*found) / ticks();
    step_.origin_ = times_.front();
    const bool rest_at_weekends = days_.back() - days_.front() >= least_days_without_weekend &&
                                  std::none_of(days_.begin(), days_.end(), [](std::int64_t days) {
                                    return place_in_week(days) >= weekdays_per_week;
                                  });
    if (step_.count_ == day_length() && rest_at_weekends) {
      step_.unit_ = TimeStep::Unit::weekday;
      step_.count_ = 1.0;
      step_.origin_ = static_cast<double>(weekday_index(days_.front()));
    }
  }

  std::string place_;
  const Scaling& column_;
  std::vector<double> times_;  // rising
  std::vector<std::int64_t> days_ = {};
  TimeStep step_;
};

TimeStep time_step_of(std::span<const double> times, const Scaling& column,
                      const std::string& place) {
  return TimeStepFinder(times, column, place).find();
}

}  // namespace covary
