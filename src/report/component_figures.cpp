#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "explain/quantity_text.h"
#include "report/axis.h"
#include "report/curve_places.h"
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

Decomposition::Curve curve_along(const Explanation& explanation, std::size_t component,
                                 std::size_t column, const std::vector<double>& places) {
  std::vector<std::vector<double>> points =
      all_columns(explanation.decomposition.model().data(), places.size());
  points[column] = places;
  return explanation.decomposition.curve(component, points);
}

// As for the fit; of an input of few values among others, these alone.
CurvePlaces places_of(const Explanation& explanation, const ExplainedComponent& component,
                      double end, Decomposition::Curve& curve) {
  const Dataset& data = explanation.decomposition.model().data();
  const std::size_t column = component.inputs[0];
  const std::vector<double> x = raw_input(data, column);
  const std::vector<double> values = different_values(x);
  const auto compute = [&](CurvePlaces places) {
    curve = curve_along(explanation, component.index, column, places.computed());
    return places;
  };
  if (data.input_scaling(column).is_category()) {
    return compute(
        CurvePlaces(places_along(axis_of(data.input_scaling(column), x, 0.0), places_inside)));
  }
  if (!data.is_curve() && has_few_values(values, x.size())) return compute(CurvePlaces(values));
  const double cycle = shortest_cycle(explanation, column, component.index);
  if (!outruns(values, cycle)) {
    CurvePlaces dense(values.front(), values.back(), places_inside, cycle);
    if (data.is_curve()) dense.go_on_to(end);
    dense = compute(std::move(dense));
    if (dense.is_range() || !ripples_between(values, dense.drawn(), curve.mean)) return dense;
  }
  std::vector<double> at_rows = values;
  if (data.is_curve()) {
    const std::vector<double> ahead = places_ahead(data, end, places_inside);
    at_rows.insert(at_rows.end(), ahead.begin(), ahead.end());
  }
  return compute(CurvePlaces(std::move(at_rows)));
}

Figure over_one_input(const Explanation& explanation, std::size_t place, double end) {
  const ExplainedComponent& component = explanation.components[place];
  const Dataset& data = explanation.decomposition.model().data();
  const std::size_t column = component.inputs[0];
  const std::vector<double> x = raw_input(data, column);
  const std::vector<double> values = different_values(x);
  const bool has_forecast = data.is_curve();

  Figure figure{.id = id_of(place), .title = component.title};
  if (has_forecast) figure.data_end = values.back();
  Decomposition::Curve curve;
  const CurvePlaces places = places_of(explanation, component, end, curve);
  draw_curve(places, curve.mean, band_around(curve.mean, curve.sd, 95),
             band_around(curve.mean, curve.sd, 50), figure);
  figure.lines.push_back(
      {"zero", std::vector<double>(figure.grid.size(), 0.0), Figure::Stroke::reference});
  show_changes(figure, explanation.transform);
  std::vector<double> mean = curve.mean;
  for (double& value : mean) value = shown_change(explanation.transform, value);
  const bool is_by_level = data.input_scaling(column).is_category();
  if (!is_by_level) {
    figure.is_by_value = !has_forecast && has_few_values(values, x.size());
    if (!figure.is_by_value) figure.far = spans_without_rows(values, x.size());
  }
  if (!has_forecast && !is_by_level) figure.rug = at_rows(x, thinned_rows(x.size(), max_points));
  figure.x = axis_of(data.input_scaling(column), figure.grid, figure.is_by_value ? 0.05 : 0.01);
  std::vector<double> seen = mean;
  add_near(figure, figure.bands[0].lower, seen);
  add_near(figure, figure.bands[0].upper, seen);
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
  mark_near(map, a, b);
  map.alt = fmt::format("The part {} over {} and {}; where rows are near, from {}.",
                        component.kernel, map.x.label, map.y.label, range_text(near_values(map)));
  return map;
}

}  // namespace covary
