#include "explain/shape.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace covary {
namespace {

constexpr double band = 1.959963984540054;  // sds on either side that hold 95 %

// A ripple of a thousandth of the whole movement is no change of direction.
int direction_of(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double tolerance = 1e-3 * (*most - *least);
  double up = 0.0;
  double down = 0.0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    (values[i] > values[i - 1] ? up : down) += std::abs(values[i] - values[i - 1]);
  }
  if (down <= tolerance && up > 0.0) return 1;
  if (up <= tolerance && down > 0.0) return -1;
  return 0;
}

// What a function does between change points, where it is w(x) g(x): the mean of g.
std::vector<double> between_changes(const std::vector<double>& centred, double constant,
                                    const std::vector<double>& weights) {
  constexpr double present = 0.5;
  std::vector<double> kept;
  for (std::size_t i = 0; i < centred.size(); ++i) {
    if (weights[i] > present) kept.push_back((centred[i] + constant) / weights[i]);
  }
  return kept.empty() ? std::vector<double>{0.0} : kept;
}

double sd_of(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double square = 0.0;
  for (const double value : values) square += (value - mean) * (value - mean);
  return std::sqrt(square / n);
}

void find_horizon(const ComponentAlgebra& algebra, std::size_t component, ComponentShape& shape) {
  constexpr double least = 1e-3;  // of the range; then in equal ratios to the limit of sight
  constexpr std::size_t num_steps = 64;
  const Range range = range_of(algebra, shape.columns[0]);
  if (!(range.size() > 0.0)) return;
  std::vector<double> distances = {0.0};
  for (std::size_t i = 0; i < num_steps; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(num_steps - 1);
    distances.push_back(range.size() * least * std::pow(horizon_sight / least, t));
  }
  std::vector<double> places;
  places.reserve(distances.size());
  for (const double distance : distances) places.push_back(range.high + distance);
  const auto points = points_along(algebra, shape.columns[0], places);
  const ComponentAlgebra::Doubt doubt = algebra.doubt(component, spans_of(points));
  const double largest =
      *std::max_element(shape.spread.prior_sd.begin(), shape.spread.prior_sd.end());
  double before = 0.0;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (doubt.prior_sd[i] <= 1e-3 * largest) {
      shape.horizon = ComponentShape::Horizon::is_zero_there;
      shape.horizon_distance = distances[i];
      return;
    }
    const double ratio = doubt.sd[i] / doubt.prior_sd[i];
    if (ratio >= 0.9) {
      const double part = i == 0 ? 0.0 : (0.9 - before) / (ratio - before);
      shape.horizon = ComponentShape::Horizon::reached;
      shape.horizon_distance =
          i == 0 ? 0.0 : distances[i - 1] + part * (distances[i] - distances[i - 1]);
      return;
    }
    before = ratio;
  }
  shape.horizon = ComponentShape::Horizon::beyond_sight;
}

}  // namespace

Range range_of(const ComponentAlgebra& algebra, std::size_t column) {
  const auto [low, high] =
      std::minmax_element(algebra.inputs()[column].begin(), algebra.inputs()[column].end());
  return {*low, *high};
}

std::vector<std::vector<double>> points_along(const ComponentAlgebra& algebra, std::size_t column,
                                              const std::vector<double>& places) {
  std::vector<std::vector<double>> points;
  for (std::size_t c = 0; c < algebra.inputs().size(); ++c) {
    if (c == column) {
      points.push_back(places);
    } else {
      points.emplace_back(places.size(), algebra.inputs()[c][0]);
    }
  }
  return points;
}

ComponentShape component_shape(const ComponentAlgebra& algebra, std::size_t component) {
  ComponentShape shape;
  shape.columns = algebra.columns(component);
  const bool is_curve = shape.columns.size() == 1;
  const Scaling& first = algebra.model().data().input_scaling(shape.columns[0]);
  shape.is_by_level = is_curve && first.is_category();
  if (shape.is_by_level) {
    shape.grid.resize(first.levels.size());
    std::iota(shape.grid.begin(), shape.grid.end(), 0.0);
  } else if (is_curve) {
    const Range range = range_of(algebra, shape.columns[0]);
    for (std::size_t i = 0; i < grid_size; ++i) {
      shape.grid.push_back(range.low + range.size() * static_cast<double>(i) /
                                           static_cast<double>(grid_size - 1));
    }
  }
  const auto points = is_curve ? points_along(algebra, shape.columns[0], shape.grid)
                               : some_rows(algebra, grid_size);
  shape.spread = algebra.spread(component, spans_of(points));
  const std::vector<double>& mean = shape.spread.mean;
  const auto largest =
      *std::max_element(shape.spread.prior_sd.begin(), shape.spread.prior_sd.end());
  shape.is_absent = largest < 1e-3;
  shape.is_zero = true;
  for (std::size_t i = 0; i < mean.size(); ++i) {
    if (std::abs(mean[i]) > band * shape.spread.sd[i] + 1e-9) shape.is_zero = false;
  }
  if (!is_curve || shape.is_by_level || algebra.is_noise(component)) return shape;
  shape.monotone = direction_of(between_changes(mean, algebra.constant(component),
                                                algebra.weights(component, spans_of(points))));
  const double early = sd_of({mean.data(), mean.size() / 2});
  const double late = sd_of({mean.data() + mean.size() / 2, mean.size() - mean.size() / 2});
  if (early > 0.0) shape.late_size = late / early;
  if (!shape.is_absent) find_horizon(algebra, component, shape);
  return shape;
}

}  // namespace covary
