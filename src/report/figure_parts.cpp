#include <algorithm>

#include <fmt/format.h>

#include "explain/quantity_text.h"
#include "report/axis.h"
#include "report/figures.h"

namespace covary {

std::vector<std::size_t> thinned_rows(std::size_t num_rows, std::size_t at_most) {
  const std::size_t count = std::min(num_rows, at_most);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < count; ++i) rows.push_back(i * num_rows / count);
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
