#include "table/repeated_rows.h"

#include <algorithm>
#include <bit>
#include <cstdint>

namespace covary {
namespace {

struct HashedRow {
  std::uint64_t hash = 0;
  std::size_t row = 0;
};

// The finalizer of splitmix64: every bit of the input reaches every bit of the result.
std::uint64_t mix(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30U)) * 0xBF58476D1CE4E5B9U;
  bits = (bits ^ (bits >> 27U)) * 0x94D049BB133111EBU;
  return bits ^ (bits >> 31U);
}

}  // namespace

std::size_t count_repeated_rows(std::span<const std::vector<double>* const> columns) {
  if (columns.empty()) return 0;
  std::vector<HashedRow> rows(columns.front()->size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].row = i;
  for (const std::vector<double>* column : columns) {
    for (HashedRow& row : rows) {
      const double value = (*column)[row.row] + 0.0;  // makes one zero of the two
      row.hash = mix(row.hash + 0x9E3779B97F4A7C15U + std::bit_cast<std::uint64_t>(value));
    }
  }
  // Rows of one hash by their numbers, so that chance collisions do not count.
  const auto is_before = [&](const HashedRow& a, const HashedRow& b) {
    if (a.hash != b.hash) return a.hash < b.hash;
    for (const std::vector<double>* column : columns) {
      if ((*column)[a.row] != (*column)[b.row]) return (*column)[a.row] < (*column)[b.row];
    }
    return false;
  };
  std::sort(rows.begin(), rows.end(), is_before);
  std::size_t count = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    if (!is_before(rows[i - 1], rows[i])) ++count;
  }
  return count;
}

}  // namespace covary
