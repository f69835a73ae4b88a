#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <boost/math/special_functions/erf.hpp>
#include <fmt/format.h>

#include "explain/quantity_text.h"
#include "report/axis.h"
#include "report/figures.h"

namespace covary {
namespace {

constexpr std::size_t max_points = 2000;
const std::string residual_label = "residual, in standard deviations";

double normal_quantile(double probability) {
  return std::numbers::sqrt2 * boost::math::erf_inv(2.0 * probability - 1.0);
}

// Symmetric, and no narrower than what the bands need.
FigureAxis residual_axis(const std::vector<double>& residuals) {
  double furthest = 2.4;
  for (const double residual : residuals) furthest = std::max(furthest, std::abs(residual));
  return {residual_label, ColumnType::number, -1.08 * furthest, 1.08 * furthest};
}

Figure over_place(const Explanation& explanation) {
  const FittedModel& model = explanation.decomposition.model();
  const Dataset& data = model.data();
  const bool is_curve = data.is_curve();
  const std::vector<double> x = is_curve ? raw_input(data, 0) : model.leave_one_out_mean();
  Figure figure{.id = "residuals", .title = "Leave-one-out residuals"};
  figure.x = axis_of(is_curve ? data.input_scaling(0) : data.target_scaling(), x, 0.02);
  if (!is_curve) figure.x.label += ", predicted from the other rows";
  figure.y = residual_axis(explanation.residuals);
  figure.grid = {figure.x.low, figure.x.high};
  figure.bands = {band_around({0.0, 0.0}, {1.0, 1.0}, 95), band_around({0.0, 0.0}, {1.0, 1.0}, 50)};
  figure.lines = {{"zero", {0.0, 0.0}, Figure::Stroke::reference}};
  const std::vector<std::size_t> rows = thinned_rows(x.size(), max_points);
  figure.points = {{"residual", at_rows(x, rows), at_rows(explanation.residuals, rows)}};
  figure.alt = fmt::format(
      "How far each row is from what the model predicts for it from all the others, in standard "
      "deviations, over {}: {} of the rows lie within the 95 % band, {} within the 50 % band.",
      figure.x.label, percent_text(explanation.coverage_95), percent_text(explanation.coverage_50));
  return figure;
}

Figure quantile_plot(const Explanation& explanation) {
  std::vector<double> sorted = explanation.residuals;
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  Figure figure{.id = "quantiles", .title = "Quantiles of the residuals"};
  figure.y = residual_axis(explanation.residuals);
  Figure::Points points{"residual", {}, {}};
  // Thinned out in the middle, where dots lie upon each other; the ends in full.
  const std::size_t ends = 100;
  const std::size_t step = 1 + sorted.size() / max_points;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (i >= ends && i + ends < sorted.size() && i % step != 0) continue;
    points.x.push_back(normal_quantile((static_cast<double>(i) + 0.5) / n));
    points.y.push_back(sorted[i]);
  }
  const double furthest = std::max(1.06 * points.x.back(), 1.0);
  figure.x = {"quantile of a normal distribution", ColumnType::number, -furthest, furthest};
  figure.grid = even_places(-furthest, furthest, 61);
  // The spread of an order statistic: √(p (1 − p) / n) / φ(z), to first order.
  std::vector<double> sd;
  for (const double z : figure.grid) {
    const double p = 0.5 * std::erfc(-z / std::numbers::sqrt2);
    const double density = std::exp(-0.5 * z * z) / std::sqrt(2.0 * std::numbers::pi);
    sd.push_back(std::sqrt(p * (1.0 - p) / n) / density);
  }
  figure.bands = {band_around(figure.grid, sd, 95)};
  figure.lines = {{"normal", figure.grid, Figure::Stroke::reference}};
  figure.points.push_back(std::move(points));
  figure.alt = fmt::format(
      "The leave-one-out residuals in order over the quantiles of a normal distribution; on the "
      "diagonal if they are normal, within the band 95 % of the time. The smallest is {}, the "
      "largest {}.",
      number_text(sorted.front(), 3), number_text(sorted.back(), 3));
  return figure;
}

}  // namespace

std::vector<Figure> residual_figures(const Explanation& explanation) {
  return {over_place(explanation), quantile_plot(explanation)};
}

}  // namespace covary
