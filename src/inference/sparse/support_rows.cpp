#include "inference/sparse/support_rows.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <utility>

#include "base/hash.h"

namespace covary {
namespace {

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

// A quarter are the last ones, which know most of what comes next; the first one and others are
// spread over the rest, one out of each equal part, and not evenly, since rows a whole number of
// cycles apart would all show the same of it.
std::vector<std::size_t> spread_rows(std::span<const double> input, std::size_t count) {
  std::vector<std::size_t> ordered =
      distinct_rows(input.size(), [&](std::size_t i) { return input[i]; });
  if (ordered.size() <= count) return ordered;
  const std::size_t num_last = count / 4;
  const std::size_t num_spread = count - num_last;
  const std::size_t num_others = ordered.size() - num_last;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < num_spread; ++i) {
    const std::size_t begin = i * num_others / num_spread;
    const std::size_t size = (i + 1) * num_others / num_spread - begin;
    rows.push_back(ordered[i == 0 ? 0 : begin + combine64(count, i) % size]);
  }
  for (std::size_t i = num_others; i < ordered.size(); ++i) rows.push_back(ordered[i]);
  return rows;
}

// Those whose values have the least hashes.
std::vector<std::size_t> sampled_rows(const InputColumns& inputs, std::size_t count) {
  std::vector<std::size_t> rows = distinct_rows(inputs[0].size(), [&](std::size_t i) {
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

std::vector<std::size_t> support_rows(const InputColumns& inputs, std::size_t count) {
  std::vector<std::size_t> rows =
      inputs.size() == 1 ? spread_rows(inputs[0], count) : sampled_rows(inputs, count);
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace covary
