#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "explain/quantity_text.h"
#include "report/axis.h"
#include "report/figures.h"

namespace covary {
namespace {

constexpr std::size_t places_inside = 300;
constexpr std::size_t max_points = 300;  // of a component's values at the rows
constexpr std::size_t map_places = 24;   // along each input

std::string id_of(std::size_t place) { return fmt::format("part-{}", place + 1); }

std::string axis_title(const Explanation& explanation) {
  return change_label(explanation, "part of");
}

// Raw columns for points that differ in some inputs only; the rest stand at their first row's
// value, which a component that does not act on them never sees.
std::vector<std::vector<double>> all_columns(const Dataset& data, std::size_t size) {
  std::vector<std::vector<double>> columns;
  for (std::size_t c = 0; c < data.num_inputs(); ++c) {
    columns.emplace_back(size, data.input_scaling(c).to_raw(data.input(c)[0]));
  }
  return columns;
}

std::string range_text(const std::vector<double>& values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return fmt::format("{} to {}", number_text(*low, 3), number_text(*high, 3));
}

Figure over_one_input(const Explanation& explanation, std::size_t place, double end) {
  const ExplainedComponent& component = explanation.components[place];
  const Dataset& data = explanation.decomposition.model().data();
  const std::size_t column = component.inputs[0];
  const std::vector<double> x = raw_input(data, column);
  const auto high = std::max_element(x.begin(), x.end());
  const bool has_forecast = data.is_curve();

  Figure figure{.id = id_of(place), .title = component.title};
  figure.grid = places_along(axis_of(data.input_scaling(column), x, 0.0), places_inside);
  if (has_forecast) {
    const std::vector<double> future = even_places(*high, end, places_inside / 4 + 1);
    figure.grid.insert(figure.grid.end(), future.begin() + 1, future.end());
    figure.data_end = *high;
  }
  std::vector<std::vector<double>> points = all_columns(data, figure.grid.size());
  points[column] = figure.grid;
  const Decomposition::Curve curve = explanation.decomposition.curve(component.index, points);
  figure.bands = {band_around(curve.mean, curve.sd, 95), band_around(curve.mean, curve.sd, 50)};
  figure.lines = {
      {"mean", curve.mean},
      {"zero", std::vector<double>(figure.grid.size(), 0.0), Figure::Stroke::reference}};
  show_changes(figure, explanation.transform);
  const std::vector<double>& mean = figure.lines[0].y;
  const bool is_by_level = data.input_scaling(column).is_category();
  if (!has_forecast && !is_by_level) figure.rug = at_rows(x, thinned_rows(x.size(), max_points));
  figure.x = axis_of(data.input_scaling(column), figure.grid, 0.01);
  std::vector<double> seen;
  for (std::size_t i = 0; i < figure.grid.size(); ++i) {
    if (has_forecast && figure.grid[i] > *high) continue;
    seen.push_back(figure.bands[0].lower[i]);
    seen.push_back(figure.bands[0].upper[i]);
  }
  seen.insert(seen.end(), mean.begin(), mean.end());
  figure.y = axis_over(seen, 0.05);
  figure.y.label = axis_title(explanation);
  figure.alt =
      fmt::format("The part {} {} {}, with its 50 % and 95 % intervals; its mean goes from {}.",
                  component.kernel, is_by_level ? "at the levels of" : "over", figure.x.label,
                  range_text(mean));
  return figure;
}

// The variance between the means of groups of rows with similar x.
double variance_by_groups(const std::vector<double>& x, const std::vector<double>& values) {
  constexpr std::size_t num_groups = 10;
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  double variance = 0.0;
  for (std::size_t group = 0; group < num_groups; ++group) {
    const std::size_t begin = group * order.size() / num_groups;
    const std::size_t end = (group + 1) * order.size() / num_groups;
    if (begin == end) continue;
    double sum = 0.0;
    for (std::size_t i = begin; i < end; ++i) sum += values[order[i]];
    variance += sum * sum / static_cast<double>(end - begin);
  }
  return variance;
}

// Of several inputs: its values at the rows over the input that moves it most.
Figure over_strongest_input(const Explanation& explanation, std::size_t place) {
  const ExplainedComponent& component = explanation.components[place];
  const Dataset& data = explanation.decomposition.model().data();
  const Dataset rows = data.rows(thinned_rows(data.num_rows(), max_points));
  const std::vector<std::vector<double>> points = raw_inputs(rows);
  const Decomposition::Curve curve = explanation.decomposition.curve_at_rows(component.index, rows);
  std::size_t strongest = component.inputs[0];
  double most = -1.0;
  for (const std::size_t column : component.inputs) {
    const double variance = variance_by_groups(points[column], curve.mean);
    if (variance > most) {
      most = variance;
      strongest = column;
    }
  }
  Figure figure{.id = id_of(place), .title = component.title};
  figure.x = axis_of(data.input_scaling(strongest), raw_input(data, strongest), 0.03);
  figure.grid = {figure.x.low, figure.x.high};
  figure.lines = {{"zero", {0.0, 0.0}, Figure::Stroke::reference}};
  figure.points = {{"rows", points[strongest], curve.mean}};
  show_changes(figure, explanation.transform);
  figure.y = axis_over(figure.points[0].y, 0.06);
  figure.y.label = axis_title(explanation);
  figure.alt =
      fmt::format("The part {} at the rows, over {}, the input that moves it most; from {}.",
                  component.kernel, figure.x.label, range_text(figure.points[0].y));
  return figure;
}

}  // namespace

Figure component_figure(const Explanation& explanation, std::size_t place, double end) {
  return explanation.components[place].inputs.size() == 1
             ? over_one_input(explanation, place, end)
             : over_strongest_input(explanation, place);
}

std::optional<HeatMap> component_map(const Explanation& explanation, std::size_t place) {
  const ExplainedComponent& component = explanation.components[place];
  if (component.inputs.size() != 2) return std::nullopt;
  const Dataset& data = explanation.decomposition.model().data();
  const std::vector<double> a = raw_input(data, component.inputs[0]);
  const std::vector<double> b = raw_input(data, component.inputs[1]);
  HeatMap map{.id = id_of(place) + "-map", .title = component.title};
  map.x = axis_of(data.input_scaling(component.inputs[0]), a, 0.0);
  map.y = axis_of(data.input_scaling(component.inputs[1]), b, 0.0);
  map.value_label = axis_title(explanation);
  map.x_places = cells_along(map.x, map_places);
  map.y_places = cells_along(map.y, map_places);
  const std::size_t height = map.y_places.size();
  std::vector<std::vector<double>> points = all_columns(data, map.x_places.size() * height);
  for (std::size_t i = 0; i < map.x_places.size(); ++i) {
    for (std::size_t j = 0; j < height; ++j) {
      points[component.inputs[0]][i * height + j] = map.x_places[i];
      points[component.inputs[1]][i * height + j] = map.y_places[j];
    }
  }
  map.values = explanation.decomposition.curve(component.index, points).mean;
  for (double& value : map.values) value = shown_change(explanation.transform, value);
  const std::vector<std::size_t> rows = thinned_rows(a.size(), max_points);
  map.data = {"rows", at_rows(a, rows), at_rows(b, rows)};
  map.alt = fmt::format("The part {} over {} and {}; from {}.", component.kernel, map.x.label,
                        map.y.label, range_text(map.values));
  return map;
}

}  // namespace covary
