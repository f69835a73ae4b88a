#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <covary/error.h>
#include <covary/message_text.h>
#include <covary/option_text.h>
#include <covary/time_step.h>

#include "table/calendar_days.h"
#include "table/iso_date.h"
#include "table/number_grid.h"
#include "table/step_words.h"

namespace covary {
namespace {

constexpr std::size_t least_rows = 3;
constexpr double ticks_per_second = 1000.0;

std::int64_t whole(double number) { return static_cast<std::int64_t>(std::llround(number)); }

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

}  // namespace

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
                      "column that tells them apart with {}",
                      text_of(*repeated), option_text("group")));
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

  std::string text_of(double time) const {
    return time_text(column_.type, time, column_.date_format);
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorKind::bad_data, fmt::format("{}: {}", place_, what));
  }

  [[noreturn]] void refuse_uneven(std::size_t row, const std::string& usual) const {
    refuse(
        fmt::format("the times have no regular step: most are {} apart, but {} follows {}; a "
                    "forecast needs even steps of months, weeks, days, hours or numbers, in "
                    "which rows may be missing",
                    usual, text_of(times_[row + 1]), text_of(times_[row])));
  }

  void find_numbers() {
    std::optional<NumberGrid> best;
    if (column_.counts_years()) {
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
      refuse_uneven(uneven.first, step_phrase(month_text(uneven.usual)));
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
      refuse_uneven(uneven.first, step_phrase(duration_text(in_seconds)));
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
