#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "explain/quantity_text.h"
#include "report/axis.h"
#include "report/figures.h"

namespace covary {
namespace {

constexpr std::size_t max_points = 3000;

// From the best value down to where most kernels are: the worst can be so bad that nothing else
// would be seen.
FigureAxis value_axis(const ReportedSearch& search, std::size_t num_rows) {
  std::vector<double> values;
  for (const ReportedKernel& kernel : search.history) {
    if (kernel.evidence.value)
      values.push_back(*kernel.evidence.value / kernel.evidence.num_rows(num_rows));
  }
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const double best = values.back();
  const double median = values[values.size() / 2];
  const double low = std::max(values.front(), best - 3.0 * std::max(best - median, 1e-6));
  FigureAxis axis = axis_over({low, best}, 0.06);
  axis.label = fmt::format("{} per row", title_of(search.criterion));
  return axis;
}

// Values in order of `x`, and the best up to each place. Where kernels are compared on more rows
// from some place on, the best begins anew.
Figure value_figure(const ReportedSearch& search, std::size_t num_rows,
                    const std::vector<double>& x) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  Figure figure;
  figure.y = value_axis(search, num_rows);
  Figure::Line best{"best so far", {}, Figure::Stroke::strong, true};
  Figure::Points first{"initial", {}, {}};
  Figure::Points proposed{"proposed", {}, {}};
  double most = -std::numeric_limits<double>::infinity();
  std::size_t rows = 0;
  const std::size_t step = 1 + order.size() / max_points;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const ReportedKernel& kernel = search.history[order[i]];
    if (!kernel.evidence.value) continue;
    const double value = *kernel.evidence.value / kernel.evidence.num_rows(num_rows);
    if (kernel.evidence.rows > rows) most = value;
    rows = std::max(rows, kernel.evidence.rows);
    if (kernel.evidence.rows < rows) continue;
    const bool is_better = value > most;
    most = std::max(most, value);
    if (is_better || i % step == 0 || i + 1 == order.size()) {
      figure.grid.push_back(x[order[i]]);
      best.y.push_back(most);
      Figure::Points& points = kernel.is_initial ? first : proposed;
      points.x.push_back(x[order[i]]);
      points.y.push_back(value);
      points.names.push_back(kernel.kernel);
    }
  }
  figure.lines = {std::move(best)};
  figure.points = {std::move(first), std::move(proposed)};
  figure.x = axis_over(x, 0.02);
  return figure;
}

Figure weight_figure(const ReportedSearch& search) {
  constexpr std::array strokes = {Figure::Stroke::strong, Figure::Stroke::second,
                                  Figure::Stroke::third};
  constexpr std::array names = {"base kernels", "paths", "subtrees"};
  Figure figure{.id = "weights", .title = "What makes kernels alike, to the search"};
  std::vector<double> seen = {0.0};
  for (std::size_t place = 0; place < search.history.size(); ++place) {
    const ReportedKernel& kernel = search.history[place];
    const std::size_t count = std::min(kernel.weights.size(), strokes.size());
    if (count == 0) continue;
    if (figure.lines.empty()) {
      for (std::size_t i = 0; i < count; ++i) {
        const bool has_names = count == names.size();
        figure.lines.push_back(
            {has_names ? names[i] : fmt::format("distance {}", i + 1), {}, strokes[i], true});
      }
    }
    if (count != figure.lines.size()) continue;
    figure.grid.push_back(static_cast<double>(place + 1));
    for (std::size_t i = 0; i < count; ++i) {
      figure.lines[i].y.push_back(kernel.weights[i]);
      seen.push_back(kernel.weights[i]);
    }
  }
  if (figure.grid.empty()) return figure;
  figure.x = axis_over(figure.grid, 0.02);
  figure.x.label = "evaluation";
  figure.y = axis_over(seen, 0.05);
  figure.y.label = "weight";
  std::vector<std::string> last;
  for (const Figure::Line& line : figure.lines) {
    last.push_back(fmt::format("{} {}", line.label, number_text(line.y.back(), 3)));
  }
  figure.alt = fmt::format(
      "The weights of the distances between kernels as the search learned them, evaluation by "
      "evaluation; at the end: {}.",
      list_text(last));
  return figure;
}

}  // namespace

std::vector<Figure> progress_figures(const ReportedSearch& search, std::size_t num_rows) {
  std::vector<double> evaluation;
  std::vector<double> seconds;
  for (const ReportedKernel& kernel : search.history) {
    evaluation.push_back(static_cast<double>(evaluation.size() + 1));
    seconds.push_back(kernel.wall_seconds);
  }
  if (evaluation.empty()) return {};
  std::vector<Figure> figures;
  figures.push_back(value_figure(search, num_rows, evaluation));
  figures.push_back(value_figure(search, num_rows, seconds));
  if (figures[0].grid.empty()) return {};
  const std::string best = number_text(figures[0].lines[0].y.back(), 4);
  figures[0].id = "by-evaluation";
  figures[0].title = "Best kernel by evaluation";
  figures[0].x.label = "evaluation";
  figures[0].alt = fmt::format(
      "The {} per row of each of {} kernels in the order of their evaluation, and the best so far, "
      "which ends at {}.",
      title_of(search.criterion), search.history.size(), best);
  figures[1].id = "by-time";
  figures[1].title = "Best kernel by time";
  figures[1].x.label = "seconds";
  figures[1].alt =
      fmt::format("The same over time: {} per row {} after {} seconds.", title_of(search.criterion),
                  best, number_text(*std::max_element(seconds.begin(), seconds.end()), 3));
  Figure weights = weight_figure(search);
  if (weights.grid.size() > 1) figures.push_back(std::move(weights));
  return figures;
}

}  // namespace covary
