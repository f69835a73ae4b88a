#include "report/curve_places.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <covary/error.h>
#include <covary/kernels.h>
#include <covary/time_step.h>

#include "explain/component_algebra.h"
#include "report/axis.h"

namespace covary {
namespace {

constexpr std::size_t places_a_cycle = 16;
constexpr double most_cycles = 100.0;  // that a page of a thousand pixels can show one by one
constexpr std::size_t most_ranges = 400;
constexpr std::size_t computed_within = 8;  // of a place that stands for its surroundings

double cycle_of(const Factor& factor) {
  const double none = std::numeric_limits<double>::infinity();
  if (!factor.is_base_kernel()) return none;
  const BaseKernel& kernel = *factor.kernel.kernel;
  if (kernel.calendar_unit != CalendarUnit::none) return factor.kernel.period;
  const auto place = length_place(kernel);
  if (!place) return none;
  const double length = factor.parameters[*place];
  if (kernel.role == KernelRole::periodic) return length;
  // SE rises through its mean every 2πℓ (Rice).
  return kernel.role == KernelRole::smooth ? 2.0 * std::numbers::pi * length : none;
}

double median_gap(const std::vector<double>& values) {
  std::vector<double> gaps;
  for (std::size_t i = 1; i < values.size(); ++i) gaps.push_back(values[i] - values[i - 1]);
  if (gaps.empty()) return 0.0;
  const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
  std::nth_element(gaps.begin(), middle, gaps.end());
  return *middle;
}

// Of the data's own steps; of irregular ones nothing.
std::optional<TimeStep> step_of(const Dataset& data) {
  try {
    return time_step_of(data, "");
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

std::vector<double> different_values(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

bool has_few_values(const std::vector<double>& values, std::size_t num_rows) {
  constexpr std::size_t few = 12;
  return values.size() <= few && 2 * values.size() <= num_rows;
}

std::vector<Figure::Span> spans_without_rows(const std::vector<double>& values,
                                             std::size_t num_rows) {
  constexpr double least_reach = 0.02;  // of the range, to which a row speaks for what is beside it
  constexpr double reach = 1.5;         // in typical distances of rows, where these are larger
  std::vector<Figure::Span> spans;
  if (values.size() < 2) return spans;
  double near = least_reach * (values.back() - values.front());
  // The rows of a few values that repeat are at these, and their distance says nothing.
  if (!has_few_values(values, num_rows)) near = std::max(near, reach * median_gap(values));
  for (std::size_t i = 1; i < values.size(); ++i) {
    // What is left between both reaches has to be worth a look: many narrow ones are a fence.
    if (values[i] - values[i - 1] > 5.0 * near) {
      spans.push_back({values[i - 1] + near, values[i] - near});
    }
  }
  return spans;
}

bool ripples_between(const std::vector<double>& values, const std::vector<double>& grid,
                     const std::vector<double>& curve) {
  constexpr double seen = 0.04;      // of the curve's range
  constexpr std::size_t enough = 3;  // places between two values, to see a ripple there
  const auto [low, high] = std::minmax_element(curve.begin(), curve.end());
  const double least = seen * (*high - *low);
  const auto at = [&](double x) {
    const auto right = std::lower_bound(grid.begin(), grid.end(), x);
    if (right == grid.begin()) return curve.front();
    if (right == grid.end()) return curve.back();
    const auto i = static_cast<std::size_t>(right - grid.begin());
    const double t = (x - grid[i - 1]) / (grid[i] - grid[i - 1]);
    return curve[i - 1] + t * (curve[i] - curve[i - 1]);
  };
  std::size_t num_seen = 0;
  std::size_t num_rippled = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const auto begin = std::upper_bound(grid.begin(), grid.end(), values[i - 1]) - grid.begin();
    const auto end = std::lower_bound(grid.begin(), grid.end(), values[i]) - grid.begin();
    if (end - begin < static_cast<std::ptrdiff_t>(enough)) continue;
    ++num_seen;
    const double left = at(values[i - 1]);
    const double right = at(values[i]);
    const auto [lowest, highest] = std::minmax_element(curve.begin() + begin, curve.begin() + end);
    if (*highest > std::max(left, right) + least || *lowest < std::min(left, right) - least) {
      ++num_rippled;
    }
  }
  return 2 * num_rippled > num_seen;
}

bool outruns(const std::vector<double>& values, double cycle) {
  return values.back() - values.front() > cycle * static_cast<double>(values.size());
}

double shortest_cycle(const Explanation& explanation, std::size_t column,
                      std::optional<std::size_t> component) {
  const ComponentAlgebra& algebra = explanation.decomposition.algebra();
  double shortest = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < algebra.size(); ++c) {
    const Product* product = algebra.product(c);
    if ((component && c != *component) || product == nullptr || algebra.is_noise(c)) continue;
    for (const Factor& factor : *product) {
      if (factor.column() == column) shortest = std::min(shortest, cycle_of(factor));
    }
  }
  return shortest * algebra.model().data().input_scaling(column).factor;
}

CurvePlaces::CurvePlaces(double low, double high, std::size_t wanted, double cycle) : high_(high) {
  const double cycles = (high - low) / cycle;
  if (cycles > most_cycles) {
    within_ = computed_within;
    num_inside_ = std::min(wanted, most_ranges);
  } else {
    num_inside_ = std::max(wanted, static_cast<std::size_t>(std::ceil(cycles * places_a_cycle)));
  }
  if (is_range()) {
    step_ = (high - low) / static_cast<double>(num_inside_);
    add(low, high, num_inside_);
    return;
  }
  step_ = (high - low) / static_cast<double>(num_inside_ - 1);
  drawn_ = even_places(low, high, num_inside_);
  computed_ = drawn_;
}

CurvePlaces::CurvePlaces(std::vector<double> places)
    : num_inside_(places.size()), drawn_(std::move(places)), computed_(drawn_) {}

void CurvePlaces::go_on_to(double end) {
  constexpr std::size_t least = 40;
  if (!(end > high_)) return;
  const auto count = std::clamp(static_cast<std::size_t>(std::ceil((end - high_) / step_)), least,
                                std::max(least, num_inside_));
  if (is_range()) {
    add(high_, end, count);
    return;
  }
  const std::vector<double> ahead = even_places(high_, end, count + 1);
  drawn_.insert(drawn_.end(), ahead.begin() + 1, ahead.end());
  computed_ = drawn_;
}

// Each computed place somewhere in its share of a drawn one's surroundings: evenly spaced ones
// could keep step with the cycles.
void CurvePlaces::add(double low, double high, std::size_t count) {
  const double width = (high - low) / static_cast<double>(count);
  const double share = width / static_cast<double>(within_);
  for (std::size_t i = 0; i < count; ++i) {
    const double begin = low + width * static_cast<double>(i);
    drawn_.push_back(begin + 0.5 * width);
    for (std::size_t k = 0; k < within_; ++k) {
      const double golden = static_cast<double>(computed_.size()) * std::numbers::phi;
      computed_.push_back(begin + share * (static_cast<double>(k) + golden - std::floor(golden)));
    }
  }
}

// With the places of two neighbours on either side: a few of its own would miss the tops of some
// cycles.
template <class Choose>
std::vector<double> CurvePlaces::around(const std::vector<double>& values,
                                        const Choose& choose) const {
  if (!is_range()) return values;
  std::vector<double> chosen;
  for (std::size_t i = 0; i < drawn_.size(); ++i) {
    const bool is_ahead = i >= num_inside_;
    const std::size_t first = is_ahead ? num_inside_ : 0;
    const std::size_t last = is_ahead ? drawn_.size() : num_inside_;
    const std::size_t begin = std::clamp(i, first + 2, last - 3) - 2;
    const std::size_t end = begin + 5;
    chosen.push_back(*choose(values.begin() + static_cast<std::ptrdiff_t>(begin * within_),
                             values.begin() + static_cast<std::ptrdiff_t>(end * within_)));
  }
  return chosen;
}

std::vector<double> CurvePlaces::least(const std::vector<double>& values) const {
  return around(values, [](auto begin, auto end) { return std::min_element(begin, end); });
}

std::vector<double> CurvePlaces::most(const std::vector<double>& values) const {
  return around(values, [](auto begin, auto end) { return std::max_element(begin, end); });
}

void draw_curve(const CurvePlaces& places, const std::vector<double>& mean, Figure::Band wide,
                Figure::Band narrow, Figure& figure) {
  figure.grid = places.drawn();
  for (Figure::Band* band : {&wide, &narrow}) {
    band->lower = places.least(band->lower);
    band->upper = places.most(band->upper);
  }
  figure.bands = {std::move(wide), std::move(narrow)};
  if (places.is_range()) {
    figure.bands.push_back({"mean", places.least(mean), places.most(mean)});
  } else {
    figure.lines.insert(figure.lines.begin(), {"mean", mean});
  }
}

void add_near(const Figure& figure, const std::vector<double>& values, std::vector<double>& seen) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = figure.grid[i];
    const bool is_far = std::any_of(figure.far.begin(), figure.far.end(), [&](const auto& span) {
      return span.low < x && x < span.high;
    });
    if (!is_far && !(figure.data_end && x > *figure.data_end)) seen.push_back(values[i]);
  }
}

std::vector<double> places_ahead(const Dataset& data, double end, std::size_t most) {
  const std::vector<double> values = different_values(raw_input(data, 0));
  const double last = values.back();
  const double tolerance = 1e-6 * (end - last);
  std::vector<double> places;
  if (const std::optional<TimeStep> step = step_of(data)) {
    const std::int64_t from = step->index_of(last);
    std::int64_t count = step->index_of(end) - from;
    if (step->time_at(from + count) > end + tolerance) --count;  // the nearest is beyond
    // Every so many steps, so that the last one is among them.
    const std::int64_t stride = std::max<std::int64_t>(
        1, (count + static_cast<std::int64_t>(most) - 1) / static_cast<std::int64_t>(most));
    for (std::int64_t i = (count - 1) % stride + 1; i <= count; i += stride) {
      places.push_back(step->time_at(from + i));
    }
    if (!places.empty()) return places;
  }
  const double gap = std::max(median_gap(values), (end - last) / static_cast<double>(most));
  if (!(gap > 0.0)) return {end};
  const auto count = static_cast<std::size_t>(std::floor((end - last + tolerance) / gap));
  for (std::size_t i = 1; i <= count; ++i) places.push_back(last + static_cast<double>(i) * gap);
  if (places.empty()) places.push_back(end);
  return places;
}

}  // namespace covary
