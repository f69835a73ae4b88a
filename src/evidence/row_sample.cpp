#include "evidence/row_sample.h"

#include <algorithm>
#include <map>
#include <span>

#include <covary/random.h>

namespace covary {
namespace {

using RowsByValue = std::map<double, std::vector<std::size_t>>;

// Groups of rows with equal values, if a uniform sample of `count` rows would break most of them.
// Inputs of a few levels are left out, since a sample has many rows of each level; so are those
// that hardly ever repeat.
RowsByValue breakable_groups(std::span<const double> column, std::size_t count) {
  constexpr double seldom = 0.3;
  RowsByValue groups;
  for (std::size_t i = 0; i < column.size(); ++i) groups[column[i]].push_back(i);
  double companions = 0.0;  // of a row, on average
  for (const auto& [value, rows] : groups) {
    const auto size = static_cast<double>(rows.size());
    companions += size * (size - 1.0) / static_cast<double>(column.size());
  }
  const double left = companions * static_cast<double>(count) / static_cast<double>(column.size());
  if (companions < seldom || left > 1.0) groups.clear();
  return groups;
}

}  // namespace

std::vector<std::size_t> row_sample(const Dataset& data, std::size_t count, std::uint64_t seed) {
  // Not the run's seed: the sample is part of the method, not of the randomness of a run.
  Random random(seed);
  std::vector<std::vector<const std::vector<std::size_t>*>> groups_by_row(data.num_rows());
  std::vector<RowsByValue> groups_by_input;
  for (std::size_t i = 0; i < data.num_inputs(); ++i) {
    groups_by_input.push_back(breakable_groups(data.input(i), count));
  }
  bool has_groups = false;
  for (const RowsByValue& groups : groups_by_input) {
    for (const auto& [value, rows] : groups) {
      if (rows.size() < 2) continue;
      has_groups = true;
      for (const std::size_t row : rows) groups_by_row[row].push_back(&rows);
    }
  }
  if (!has_groups) return random.sample(data.num_rows(), count);

  std::vector<bool> is_drawn(data.num_rows(), false);
  std::vector<std::size_t> sample;
  const auto draw = [&](std::size_t row) {
    is_drawn[row] = true;
    sample.push_back(row);
  };
  while (sample.size() < count) {
    std::size_t row = random.index(data.num_rows());
    while (is_drawn[row]) row = (row + 1) % data.num_rows();
    draw(row);
    if (groups_by_row[row].empty() || sample.size() == count) continue;
    const auto& group = *groups_by_row[row][random.index(groups_by_row[row].size())];
    const std::size_t companion = group[random.index(group.size())];
    if (!is_drawn[companion]) draw(companion);
  }
  std::sort(sample.begin(), sample.end());
  return sample;
}

}  // namespace covary
