#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "explain/quantity_text.h"
#include "report/axis.h"
#include "report/figures.h"

namespace covary {

std::vector<std::size_t> thinned_rows(std::size_t num_rows, std::size_t at_most) {
  const std::size_t count = std::min(num_rows, at_most);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * num_rows / count;
    const std::size_t size = (i + 1) * num_rows / count - begin;
    const double golden = static_cast<double>(i) * std::numbers::phi;
    rows.push_back(begin + static_cast<std::size_t>(static_cast<double>(size) *
                                                    (golden - std::floor(golden))));
  }
  return rows;
}

std::vector<double> at_rows(const std::vector<double>& values,
                            const std::vector<std::size_t>& rows) {
  std::vector<double> chosen;
  chosen.reserve(rows.size());
  for (const std::size_t row : rows) chosen.push_back(values[row]);
  return chosen;
}

FigureAxis axis_of(const Scaling& scaling, const std::vector<double>& raw, double margin) {
  FigureAxis axis = axis_over(raw, margin);
  axis.label = scaling.name;
  axis.type = scaling.type;
  if (scaling.is_category()) {
    axis.levels = scaling.levels;
    axis.low = -0.5;
    axis.high = static_cast<double>(scaling.levels.size()) - 0.5;
  }
  return axis;
}

namespace {

// A way along an axis as a share of it; from one level of a category to another it is endless.
double share_between(const FigureAxis& axis, double a, double b) {
  if (axis.type == ColumnType::category) {
    return std::round(a) == std::round(b) ? 0.0 : std::numeric_limits<double>::infinity();
  }
  return axis.high > axis.low ? (a - b) / (axis.high - axis.low) : 0.0;
}

}  // namespace

void mark_near(HeatMap& map, const std::vector<double>& x, const std::vector<double>& y) {
  constexpr double least_reach = 0.04;
  constexpr double most_reach = 0.1;
  const double reach =
      std::clamp(1.0 / std::sqrt(static_cast<double>(x.size())), least_reach, most_reach);
  map.is_near.assign(map.values.size(), false);
  for (std::size_t i = 0; i < map.x_places.size(); ++i) {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < x.size(); ++row) {
      if (std::abs(share_between(map.x, map.x_places[i], x[row])) <= reach) rows.push_back(row);
    }
    for (std::size_t j = 0; j < map.y_places.size(); ++j) {
      map.is_near[i * map.y_places.size() + j] =
          std::any_of(rows.begin(), rows.end(), [&](std::size_t row) {
            return std::hypot(share_between(map.x, map.x_places[i], x[row]),
                              share_between(map.y, map.y_places[j], y[row])) <= reach;
          });
    }
  }
}

std::vector<double> near_values(const HeatMap& map) {
  std::vector<double> values;
  for (std::size_t i = 0; i < map.values.size(); ++i) {
    if (map.is_near[i]) values.push_back(map.values[i]);
  }
  return values.empty() ? map.values : values;
}

void show_changes(Figure& figure, TargetTransform transform) {
  const auto show = [&](std::vector<double>& values) {
    for (double& value : values) value = shown_change(transform, value);
  };
  for (Figure::Band& band : figure.bands) {
    show(band.lower);
    show(band.upper);
  }
  for (Figure::Line& line : figure.lines) show(line.y);
  for (Figure::Points& points : figure.points) show(points.y);
}

std::string change_label(const Explanation& explanation, std::string_view what) {
  if (multiplies(explanation.transform)) return fmt::format("{} {}, %", what, explanation.target);
  return fmt::format("{} {}", what, transformed_name(explanation.transform, explanation.target));
}

Figure::Band band_around(const std::vector<double>& mean, const std::vector<double>& sd,
                         int level) {
  const double width = level == 50 ? 0.6744897501960817 : 1.959963984540054;
  Figure::Band band{fmt::format("{} %", level), {}, {}};
  for (std::size_t i = 0; i < mean.size(); ++i) {
    band.lower.push_back(mean[i] - width * sd[i]);
    band.upper.push_back(mean[i] + width * sd[i]);
  }
  return band;
}

}  // namespace covary
