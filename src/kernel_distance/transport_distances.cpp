#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include <covary/distance.h>

#include "kernel_distance/tree_features.h"

namespace covary {
namespace {

// Total variation between the distributions of two sorted multisets, ½ Σ |m/M - n/N|. In whole
// numbers up to the last division: at most Expression::max_leaves leaves keep them small.
double total_variation(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  const std::size_t size_a = a.size();
  const std::size_t size_b = b.size();
  std::size_t difference = 0;  // Σ |m N - n M|
  while (!a.empty() || !b.empty()) {
    const std::uint64_t next = b.empty() || (!a.empty() && a[0] < b[0]) ? a[0] : b[0];
    const auto take = [next](std::span<const std::uint64_t>& rest) {
      std::size_t count = 0;
      while (count < rest.size() && rest[count] == next) ++count;
      rest = rest.subspan(count);
      return count;
    };
    const std::size_t mass_a = take(a) * size_b;
    const std::size_t mass_b = take(b) * size_a;
    difference += mass_a > mass_b ? mass_a - mass_b : mass_b - mass_a;
  }
  return static_cast<double>(difference) / static_cast<double>(2 * size_a * size_b);
}

// The names of the base kernels on one input, taken from the front of features that are sorted by
// input.
std::vector<std::uint64_t> take_column(std::span<const TreeFeatures::Base>& features,
                                       std::size_t column) {
  std::vector<std::uint64_t> names;
  while (!features.empty() && features[0].column == column) {
    names.push_back(features[0].name);
    features = features.subspan(1);
  }
  std::sort(names.begin(), names.end());
  return names;
}

double base_distance(std::span<const TreeFeatures::Base> a, std::span<const TreeFeatures::Base> b) {
  double distance = 0.0;
  while (!a.empty() || !b.empty()) {
    const std::size_t column =
        b.empty() || (!a.empty() && a[0].column < b[0].column) ? a[0].column : b[0].column;
    const std::vector<std::uint64_t> names_a = take_column(a, column);
    const std::vector<std::uint64_t> names_b = take_column(b, column);
    // No base kernel on this input means all mass on NULL, which the other side does not have.
    distance += names_a.empty() || names_b.empty() ? 1.0 : total_variation(names_a, names_b);
  }
  return distance;
}

TreeFeatures sorted_features(const Expression& expression) {
  TreeFeatures features;
  collect_features(expression, features);
  std::sort(
      features.base.begin(), features.base.end(),
      [](const TreeFeatures::Base& a, const TreeFeatures::Base& b) { return a.column < b.column; });
  std::sort(features.paths.begin(), features.paths.end());
  std::sort(features.subtrees.begin(), features.subtrees.end());
  return features;
}

}  // namespace

TransportDistances transport_distances(const Expression& a, const Expression& b) {
  const TreeFeatures features_a = sorted_features(a);
  const TreeFeatures features_b = sorted_features(b);
  return {base_distance(features_a.base, features_b.base),
          total_variation(features_a.paths, features_b.paths),
          total_variation(features_a.subtrees, features_b.subtrees)};
}

}  // namespace covary
