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

constexpr std::size_t effect_places = 80;
constexpr std::size_t map_places = 40;
constexpr std::size_t max_maps = 4;
constexpr std::size_t max_points = 300;
constexpr double least_share = 0.02;  // of the target's spread, for an interaction to be shown

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double spread_of(const std::vector<double>& values) {
  const double mean = mean_of(values);
  double square = 0.0;
  for (const double value : values) square += (value - mean) * (value - mean);
  return std::sqrt(square / static_cast<double>(values.size()));
}

std::vector<double> transformed_target(const Dataset& data) {
  std::vector<double> values;
  for (const double y : data.target()) values.push_back(data.target_scaling().to_transformed(y));
  return values;
}

std::string text_of(const FigureAxis& axis, double place) { return place_text(axis, place, 4); }

// As for the parts, but an input of levels or few values is drawn at these.
CurvePlaces places_of(const Explanation& explanation, const Effects& effects, std::size_t input,
                      const FigureAxis& axis, const std::vector<double>& x, Effects::Curve& curve) {
  const auto compute = [&](CurvePlaces places) {
    curve = effects.main_effect(input, places.computed());
    return places;
  };
  if (axis.type == ColumnType::category) {
    return compute(CurvePlaces(places_along(axis, effect_places)));
  }
  const std::vector<double> values = different_values(x);
  if (has_few_values(values, x.size())) return compute(CurvePlaces(values));
  const double cycle = shortest_cycle(explanation, input);
  if (outruns(values, cycle)) return compute(CurvePlaces(values));
  CurvePlaces dense = compute(CurvePlaces(values.front(), values.back(), effect_places, cycle));
  if (dense.is_range() || !ripples_between(values, dense.drawn(), curve.mean)) return dense;
  return compute(CurvePlaces(values));
}

Figure main_effect_figure(const Explanation& explanation, const Effects& effects,
                          std::size_t input) {
  const Dataset& data = explanation.decomposition.model().data();
  const std::vector<double> x = raw_input(data, input);
  Figure figure{.id = fmt::format("effect-{}", input + 1), .title = data.input_scaling(input).name};
  figure.x = axis_of(data.input_scaling(input), x, 0.0);
  Effects::Curve curve;
  const CurvePlaces places = places_of(explanation, effects, input, figure.x, x, curve);
  draw_curve(places, curve.mean, band_around(curve.mean, curve.sd, 95),
             band_around(curve.mean, curve.sd, 50), figure);
  figure.lines.push_back(
      {"zero", std::vector<double>(figure.grid.size(), 0.0), Figure::Stroke::reference});
  show_changes(figure, explanation.transform);
  std::vector<double> mean = curve.mean;
  for (double& value : mean) value = shown_change(explanation.transform, value);
  const bool is_by_level = data.input_scaling(input).is_category();
  if (!is_by_level) {
    const std::vector<double> values = different_values(x);
    figure.is_by_value = has_few_values(values, x.size());
    if (figure.is_by_value) {
      figure.x = axis_of(data.input_scaling(input), x, 0.05);
    } else {
      figure.far = spans_without_rows(values, x.size());
    }
  }
  if (!is_by_level) figure.rug = at_rows(x, thinned_rows(x.size(), max_points));
  figure.y.label = change_label(explanation, "change of");
  const auto highest = std::max_element(mean.begin(), mean.end());
  const auto lowest = std::min_element(mean.begin(), mean.end());
  figure.alt = fmt::format(
      "What {} does to {} by itself, the other inputs averaged, with 50 % and 95 % intervals: "
      "least "
      "({}) at {}, most ({}) at {}.",
      figure.x.label, explanation.target, number_text(*lowest, 3),
      text_of(figure.x, places.computed()[static_cast<std::size_t>(lowest - mean.begin())]),
      number_text(*highest, 3),
      text_of(figure.x, places.computed()[static_cast<std::size_t>(highest - mean.begin())]));
  return figure;
}

HeatMap interaction_map(const Explanation& explanation, const Effects& effects,
                        const Effects::Interaction& pair) {
  const Dataset& data = explanation.decomposition.model().data();
  const std::vector<double> a = raw_input(data, pair.first);
  const std::vector<double> b = raw_input(data, pair.second);
  HeatMap map{.id = fmt::format("together-{}-{}", pair.first + 1, pair.second + 1)};
  map.x = axis_of(data.input_scaling(pair.first), a, 0.0);
  map.y = axis_of(data.input_scaling(pair.second), b, 0.0);
  map.title = fmt::format("{} and {}", map.x.label, map.y.label);
  map.value_label = explanation.target;
  map.x_places = cells_along(map.x, map_places);
  map.y_places = cells_along(map.y, map_places);
  const Effects::Surface surface =
      effects.surface(pair.first, pair.second, map.x_places, map.y_places);
  // Around the mean over the rows, so that the shades are values of the target itself.
  const double mean = mean_of(transformed_target(data));
  for (const double value : surface.together) {
    map.values.push_back(untransformed(explanation.transform, mean + value));
  }
  for (const double value : surface.interaction) {
    map.interaction.push_back(shown_change(explanation.transform, value));
  }
  const std::vector<std::size_t> rows = thinned_rows(a.size(), max_points);
  map.data = {"rows", at_rows(a, rows), at_rows(b, rows)};
  const auto place = [&](std::vector<double>::const_iterator value) {
    const auto at = static_cast<std::size_t>(value - map.values.cbegin());
    const std::size_t height = map.y_places.size();
    return fmt::format("{} of {} and {} of {}", text_of(map.x, map.x_places[at / height]),
                       map.x.label, text_of(map.y, map.y_places[at % height]), map.y.label);
  };
  mark_near(map, a, b);
  const std::vector<double> near = near_values(map);
  const auto lowest = std::find(map.values.cbegin(), map.values.cend(),
                                *std::min_element(near.begin(), near.end()));
  const auto highest = std::find(map.values.cbegin(), map.values.cend(),
                                 *std::max_element(near.begin(), near.end()));
  map.alt = fmt::format(
      "{} by {} and {}, the other inputs averaged: where rows are near, from {} at {} to {} at {}. "
      "The interaction by itself has a standard deviation of {}.",
      explanation.target, map.x.label, map.y.label, number_text(*lowest, 3), place(lowest),
      number_text(*highest, 3), place(highest), amount_text(explanation.transform, pair.sd));
  return map;
}

}  // namespace

std::vector<Figure> main_effect_figures(const Explanation& explanation, const Effects& effects) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < explanation.inputs.size(); ++i) {
    if (explanation.inputs[i].is_used) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return explanation.inputs[a].total > explanation.inputs[b].total;
  });
  std::vector<Figure> figures;
  std::vector<double> seen;
  for (const std::size_t input : order) {
    figures.push_back(main_effect_figure(explanation, effects, input));
    // Of the bands no more than the middle, in which the means are: at the ends they can be wide.
    const Figure& figure = figures.back();
    for (const Figure::Band& band : figure.bands) {
      if (&band == figure.bands.data()) continue;
      add_near(figure, band.lower, seen);
      add_near(figure, band.upper, seen);
    }
  }
  // One scale for all, so that sizes can be compared by eye.
  const FigureAxis y = axis_over(seen, 0.1);
  for (Figure& figure : figures) {
    figure.y.low = y.low;
    figure.y.high = y.high;
  }
  return figures;
}

std::vector<HeatMap> interaction_maps(const Explanation& explanation, const Effects& effects) {
  const double spread = spread_of(transformed_target(explanation.decomposition.model().data()));
  std::vector<HeatMap> maps;
  for (const Effects::Interaction& pair : effects.interactions()) {
    if (maps.size() == max_maps || pair.sd < least_share * spread) break;
    maps.push_back(interaction_map(explanation, effects, pair));
  }
  return maps;
}

}  // namespace covary
