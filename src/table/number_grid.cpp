#include "table/number_grid.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace covary {
namespace {

constexpr double slack_of_numbers = 0.1;  // decimals are cut off, months differ in length

}  // namespace

double rounded(double value, int decimals) {
  const double power = std::pow(10.0, decimals);
  const double shifted = value * power;
  return std::abs(shifted) < 1e15 ? std::round(shifted) / power : value;
}

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

bool is_odd(double distance, double step) {
  const double count = distance / step;
  return !(count > 0.5) || std::abs(count - std::round(count)) > slack_of_numbers;
}

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

}  // namespace covary
