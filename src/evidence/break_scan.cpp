#include "evidence/break_scan.h"

#include <algorithm>
#include <numeric>

namespace covary {
namespace {

constexpr std::size_t least_rows = 5;  // on each side of a break

// Sums over the rows so far, from which the squares that a line leaves follow.
struct LineSums {
  double n = 0.0;
  double x = 0.0;
  double y = 0.0;
  double xx = 0.0;
  double xy = 0.0;
  double yy = 0.0;

  void add(double at, double value) {
    n += 1.0;
    x += at;
    y += value;
    xx += at * at;
    xy += at * value;
    yy += value * value;
  }
  LineSums without(const LineSums& part) const {
    return {n - part.n, x - part.x, y - part.y, xx - part.xx, xy - part.xy, yy - part.yy};
  }
  double squares_left() const {
    const double spread = xx - x * x / n;
    const double joint = xy - x * y / n;
    const double total = yy - y * y / n;
    return std::max(spread > 1e-12 * xx ? total - joint * joint / spread : total, 0.0);
  }
};

}  // namespace

std::vector<double> strongest_breaks(std::span<const double> x, std::span<const double> y,
                                     std::size_t max_breaks) {
  std::vector<std::size_t> order(x.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return x[a] < x[b]; });
  LineSums all;
  for (const std::size_t row : order) all.add(x[row], y[row]);

  struct Break {
    double place;
    double squares_left;
  };
  std::vector<Break> candidates;
  LineSums before;
  for (std::size_t i = 0; i + least_rows < order.size(); ++i) {
    before.add(x[order[i]], y[order[i]]);
    const double here = x[order[i]];
    const double next = x[order[i + 1]];
    if (i + 1 < least_rows || !(next > here)) continue;
    candidates.push_back(
        {0.5 * (here + next), before.squares_left() + all.without(before).squares_left()});
  }
  // Where a break explains more than a few rows to either side.
  constexpr std::size_t reach = 3;
  std::vector<Break> strongest;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::size_t first = i < reach ? 0 : i - reach;
    const std::size_t end = std::min(i + reach + 1, candidates.size());
    const bool is_best = std::all_of(
        candidates.begin() + static_cast<std::ptrdiff_t>(first),
        candidates.begin() + static_cast<std::ptrdiff_t>(end),
        [&](const Break& other) { return candidates[i].squares_left <= other.squares_left; });
    if (is_best) strongest.push_back(candidates[i]);
  }
  std::stable_sort(strongest.begin(), strongest.end(),
                   [](const Break& a, const Break& b) { return a.squares_left < b.squares_left; });
  std::vector<double> places;
  for (const Break& one : strongest) {
    if (places.size() < max_breaks) places.push_back(one.place);
  }
  return places;
}

}  // namespace covary
