#include "evidence/judged_rows.h"

#include <algorithm>
#include <numeric>
#include <span>

#include <covary/random.h>

#include "evidence/row_sample.h"

namespace covary {
namespace {

// One place out of each of `count` equal parts of the places 0 to size - 1.
std::vector<std::size_t> spread_places(std::size_t size, std::size_t count, Random& random) {
  std::vector<std::size_t> places;
  places.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t begin = i * size / count;
    const std::size_t end = (i + 1) * size / count;
    places.push_back(begin + random.index(end - begin));
  }
  return places;
}

std::vector<std::size_t> rows_of_curve(std::span<const double> input, std::size_t count) {
  std::vector<std::size_t> order(input.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return input[a] < input[b]; });
  // A seed of its own for every count, part of the method, not of the randomness of a run.
  Random random(count);
  const std::size_t stretch = count / 2;
  const std::size_t begin = random.index(order.size() - stretch + 1);
  std::vector<bool> is_taken(order.size(), false);
  std::fill_n(is_taken.begin() + static_cast<std::ptrdiff_t>(begin), stretch, true);
  std::vector<std::size_t> others;
  others.reserve(order.size() - stretch);
  for (std::size_t place = 0; place < order.size(); ++place) {
    if (!is_taken[place]) others.push_back(place);
  }
  for (const std::size_t place : spread_places(others.size(), count - stretch, random)) {
    is_taken[others[place]] = true;
  }
  std::vector<std::size_t> rows;
  rows.reserve(count);
  for (std::size_t place = 0; place < order.size(); ++place) {
    if (is_taken[place]) rows.push_back(order[place]);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

std::vector<std::size_t> judged_rows(const Dataset& data, std::size_t count) {
  if (count >= data.num_rows()) {
    std::vector<std::size_t> all(data.num_rows());
    std::iota(all.begin(), all.end(), std::size_t{0});
    return all;
  }
  if (data.is_curve()) return rows_of_curve(data.input(0), count);
  return row_sample(data, count, count);
}

}  // namespace covary
