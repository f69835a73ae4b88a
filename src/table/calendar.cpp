#include "table/calendar.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include <covary/calendar.h>
#include <covary/dataset.h>

namespace covary {
namespace {

// The steps to each next different value, in order.
std::vector<double> steps_between(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<double> steps;
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i] > sorted[i - 1]) steps.push_back(sorted[i] - sorted[i - 1]);
  }
  return steps;
}

// Whether all steps are whole numbers of such a part of a year, and most of them one.
bool are_multiples(const std::vector<double>& steps, double part) {
  constexpr double slack = 0.1;  // decimals are cut off, months differ in length
  std::size_t num_single = 0;
  for (const double step : steps) {
    const double count = step / part;
    if (count < 0.5 || std::abs(count - std::round(count)) > slack) return false;
    if (count < 1.5) ++num_single;
  }
  return 2 * num_single > steps.size();
}

// Names of units, and what else a name of a time may say.
constexpr double hour = 1.0 / 24.0;
constexpr double minute = hour / 60.0;
constexpr double second = minute / 60.0;
struct UnitName {
  std::string_view name;
  double days;
};
constexpr UnitName unit_names[] = {
    {"day", 1.0},       {"days", 1.0},       {"d", 1.0},      {"hour", hour},
    {"hours", hour},    {"hr", hour},        {"hrs", hour},   {"h", hour},
    {"minute", minute}, {"minutes", minute}, {"min", minute}, {"mins", minute},
    {"second", second}, {"seconds", second}, {"sec", second}, {"secs", second},
    {"s", second},      {"week", 7.0},       {"weeks", 7.0}};
constexpr std::string_view other_words[] = {"t",      "time",  "elapsed", "since",    "start",
                                            "from",   "after", "the",     "first",    "in",
                                            "number", "of",    "begin",   "beginning"};

// The unit that the words of a name say, if there is one and they say nothing else. A letter by
// itself is a unit only beside another word: "t (s)".
double named_unit(std::string_view name) {
  double days = 0.0;
  std::size_t num_words = 0;
  bool is_letter = false;
  for (std::size_t begin = 0; begin < name.size();) {
    std::string word;
    while (begin < name.size() && std::isalnum(static_cast<unsigned char>(name[begin])) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(name[begin++])));
    }
    ++begin;
    if (word.empty()) continue;
    ++num_words;
    const auto* const unit =
        std::find_if(std::begin(unit_names), std::end(unit_names),
                     [&](const UnitName& candidate) { return candidate.name == word; });
    if (unit != std::end(unit_names)) {
      if (days != 0.0) return 0.0;
      days = unit->days;
      is_letter = word.size() == 1;
    } else if (std::find(std::begin(other_words), std::end(other_words), word) ==
               std::end(other_words)) {
      return 0.0;
    }
  }
  return is_letter && num_words == 1 ? 0.0 : days;
}

// Whether a step is a whole number of days, or a day a whole number of steps.
bool divides_a_day(double days) {
  constexpr double slack = 1e-3;
  const double count = days >= 1.0 ? days : 1.0 / days;
  return std::abs(count - std::round(count)) <= slack * count;
}

}  // namespace

bool counts_years(std::span<const double> values) {
  constexpr std::size_t least_steps = 7;
  constexpr double parts[] = {4.0, 12.0, 52.0, days_of_a_year / 7.0, 365.0, days_of_a_year};
  const bool are_years =
      std::all_of(values.begin(), values.end(), [](double y) { return y >= 1000.0 && y < 3000.0; });
  const std::vector<double> steps = are_years ? steps_between(values) : std::vector<double>();
  return steps.size() >= least_steps &&
         std::any_of(std::begin(parts), std::end(parts),
                     [&](double count) { return are_multiples(steps, 1.0 / count); });
}

double days_a_unit(std::string_view name, std::span<const double> values) {
  if (counts_years(values)) return days_of_a_year;
  const double days = named_unit(name);
  if (days == 0.0) return 0.0;
  constexpr std::size_t least_steps = 7;
  std::vector<double> steps = steps_between(values);
  if (steps.size() < least_steps) return 0.0;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  const double usual = *middle;
  return divides_a_day(usual * days) && are_multiples(steps, usual) ? days : 0.0;
}

double Scaling::year() const {
  constexpr double seconds_of_a_day = 86400.0;
  double in_raw_units = 0.0;
  if (type == ColumnType::date) in_raw_units = days_of_a_year;
  if (type == ColumnType::date_time) in_raw_units = days_of_a_year * seconds_of_a_day;
  if (type == ColumnType::number && days_a_unit > 0.0) in_raw_units = days_of_a_year / days_a_unit;
  return in_raw_units / factor;
}

std::vector<double> years_of(const Dataset& data) {
  std::vector<double> years;
  for (std::size_t i = 0; i < data.num_inputs(); ++i) years.push_back(data.input_scaling(i).year());
  return years;
}

}  // namespace covary
