#include "inference/sparse/support_rows.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <span>
#include <utility>

#include "base/hash.h"

namespace covary {
namespace {

void add_columns(const Expression& kernel, std::set<std::size_t>& columns) {
  if (kernel.is_leaf()) {
    if (kernel.base_kernel().kernel->uses_input) columns.insert(kernel.base_kernel().column);
    return;
  }
  if (kernel.op().op->acts_on_input) columns.insert(kernel.op().column);
  add_columns(kernel.left(), columns);
  add_columns(kernel.right(), columns);
}

// One row of every value of the key, by rising key.
template <class Key>
std::vector<std::size_t> distinct_rows(std::size_t num_rows, const Key& key) {
  using Keyed = std::pair<decltype(key(0)), std::size_t>;
  std::vector<Keyed> keyed;
  keyed.reserve(num_rows);
  for (std::size_t i = 0; i < num_rows; ++i) keyed.emplace_back(key(i), i);
  std::sort(keyed.begin(), keyed.end());
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < num_rows; ++i) {
    if (i == 0 || keyed[i].first != keyed[i - 1].first) rows.push_back(keyed[i].second);
  }
  return rows;
}

// The first and the last, and as many between them as there is room for.
std::vector<std::size_t> spread_rows(std::span<const double> input, std::size_t count) {
  const std::vector<std::size_t> ordered =
      distinct_rows(input.size(), [&](std::size_t i) { return input[i]; });
  if (ordered.size() <= count) return ordered;
  if (count == 1) return {ordered[ordered.size() / 2]};
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < count; ++i) {
    rows.push_back(ordered[i * (ordered.size() - 1) / (count - 1)]);
  }
  return rows;
}

// Those whose values have the least hashes.
std::vector<std::size_t> sampled_rows(const std::vector<std::span<const double>>& inputs,
                                      std::size_t num_rows, std::size_t count) {
  std::vector<std::size_t> rows = distinct_rows(num_rows, [&](std::size_t i) {
    std::uint64_t hash = 0;
    for (const auto& input : inputs) {
      hash = combine64(hash, std::bit_cast<std::uint64_t>(input[i] + 0.0));  // -0.0 is 0.0
    }
    return hash;
  });
  if (rows.size() > count) rows.resize(count);
  return rows;
}

}  // namespace

std::vector<std::size_t> support_rows(const Expression& kernel, const InputColumns& inputs,
                                      std::size_t count) {
  std::set<std::size_t> columns;
  add_columns(kernel, columns);
  const std::size_t num_rows = inputs[0].size();
  std::vector<std::size_t> rows;
  if (columns.size() == 1) {
    rows = spread_rows(inputs[*columns.begin()], count);
  } else {
    std::vector<std::span<const double>> used;
    for (const std::size_t column : columns) used.push_back(inputs[column]);
    rows = sampled_rows(used, num_rows, count);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace covary
