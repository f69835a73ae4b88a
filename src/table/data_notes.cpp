#include "table/data_notes.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <covary/message_text.h>

#include "table/written_date.h"

namespace covary {
namespace {

double quantile_of(std::vector<double>& values, double share) {
  const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[static_cast<std::size_t>(place)];
}

double sd_without(std::span<const double> values, std::size_t left_out, double centre) {
  double sum = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i != left_out) sum += (values[i] - centre) * (values[i] - centre);
  }
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

// A single value spoils the mean and the standard deviation that it would be judged by: the
// quartiles stand for them, or where those are equal the other values.
void note_outlier(const Column& column, std::span<const double> values,
                  std::span<const std::size_t> rows, std::vector<std::string>& notes) {
  constexpr std::size_t fewest = 8;
  constexpr double far = 1000.0;             // in standard deviations
  constexpr double quartiles_of_sd = 1.349;  // of a Gaussian, from one to the other
  if (values.size() < fewest) return;
  std::vector<double> sorted(values.begin(), values.end());
  const double low = quantile_of(sorted, 0.25);
  const double middle = quantile_of(sorted, 0.5);
  const double high = quantile_of(sorted, 0.75);
  std::size_t farthest = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (std::abs(values[i] - middle) > std::abs(values[farthest] - middle)) farthest = i;
  }
  double sd = (high - low) / quartiles_of_sd;
  if (!(sd > 0.0)) sd = sd_without(values, farthest, middle);
  const double distance = std::abs(values[farthest] - middle) / sd;
  if (!(distance > far) || !std::isfinite(distance)) return;
  notes.push_back(fmt::format(
      "column {} has {} in row {}, {:.1g} standard deviations of the others away from them; if it "
      "is a slip, correct it: everything is scaled by it",
      quoted(column.name), format_date(column.type, column.date_format, values[farthest]),
      rows[farthest] + 1, distance));
}

void note_little_variation(const Column& column, std::span<const double> values,
                           std::vector<std::string>& notes) {
  constexpr double little = 1e-10;  // leaves five digits of sixteen
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double size = std::max(std::abs(*low), std::abs(*high));
  const double share = (*high - *low) / size;
  if (!(share > 0.0) || share >= little) return;
  notes.push_back(fmt::format(
      "the values of column {} differ by {:.1g} of their size, of which double precision keeps few "
      "digits or none; subtract what they have in common",
      quoted(column.name), share));
}

// Numbers that count something else pass for months too, as long as they stay below one year's.
bool are_compact_months(std::span<const double> values) {
  if (!std::all_of(values.begin(), values.end(), is_compact_month)) return false;
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return std::floor(*low / 100.0) != std::floor(*high / 100.0);
}

// Such as 99999999 in the place of a date that nobody knew.
void note_stray_compact_date(const Column& column, std::span<const double> values, std::size_t row,
                             double stray, std::vector<std::string>& notes) {
  constexpr std::size_t fewest = 3;
  const auto num_dates =
      static_cast<std::size_t>(std::count_if(values.begin(), values.end(), is_compact_date));
  if (num_dates < fewest || 2 * num_dates < values.size()) return;
  const auto date = std::find_if(values.begin(), values.end(), is_compact_date);
  notes.push_back(fmt::format(
      "column {} has whole numbers such as {} that look like dates, but {} in row {} is "
      "none: all are taken as numbers; correct it, or write dates as YYYY-MM-DD",
      quoted(column.name), shown_number(*date), shown_number(stray), row + 1));
}

void note_compact_dates(const Column& column, std::span<const double> values,
                        std::span<const std::size_t> rows, std::vector<std::string>& notes) {
  if (column.date_format == compact_format) {
    notes.push_back(fmt::format(
        "column {} has whole numbers such as {}, which are read as dates ({})", quoted(column.name),
        format_date(column.type, column.date_format, values.front()), compact_format));
    return;
  }
  if (column.type != ColumnType::number) return;
  if (are_compact_months(values)) {
    notes.push_back(fmt::format(
        "column {} has whole numbers such as {} that look like months and are taken as numbers, "
        "with a gap at the end of every year; write months as 2024-01",
        quoted(column.name), shown_number(values.front())));
    return;
  }
  const auto other = std::find_if_not(values.begin(), values.end(), is_compact_date);
  if (other != values.end()) {
    note_stray_compact_date(column, values, rows[static_cast<std::size_t>(other - values.begin())],
                            *other, notes);
    return;
  }
  notes.push_back(
      fmt::format("column {} has whole numbers such as {} that look like dates and are taken as "
                  "numbers; months and years are uneven in them: give them as dates",
                  quoted(column.name), shown_number(values.front())));
}

}  // namespace

void note_few_rows(std::size_t num_rows, std::vector<std::string>& notes) {
  constexpr std::size_t few = 4;
  if (num_rows >= few) return;
  notes.push_back(fmt::format(
      "{} rows are few: what a model makes of them is more its own assumptions than the data's",
      num_rows));
}

void note_constant_target(const Column& target, std::span<const double> values,
                          std::string_view where, std::vector<std::string>& notes) {
  if (values.empty() || !std::all_of(values.begin(), values.end(),
                                     [&](double value) { return value == values.front(); })) {
    return;
  }
  notes.push_back(fmt::format(
      "column {} has the same value {} in every {}: its model is that constant, and nothing tells "
      "how far from it other rows may be",
      quoted(target.name), shown_number(values.front()), where));
}

void note_values(const Column& column, std::span<const double> values,
                 std::span<const std::size_t> rows, std::vector<std::string>& notes) {
  if (values.empty() || column.type == ColumnType::category) return;
  note_compact_dates(column, values, rows, notes);
  note_outlier(column, values, rows, notes);
  if (column.type == ColumnType::number) note_little_variation(column, values, notes);
}

}  // namespace covary
