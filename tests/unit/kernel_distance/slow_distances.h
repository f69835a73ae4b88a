#pragma once

#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <string>

#include <covary/distance.h>

namespace covary {

// The paper's definitions written down with text and maps, to check the fast ones against.
using Multiset = std::map<std::string, double>;

inline double slow_total_variation(const Multiset& a, const Multiset& b) {
  double total_a = 0.0;
  double total_b = 0.0;
  std::set<std::string> elements;
  for (const auto& [element, count] : a) total_a += count, elements.insert(element);
  for (const auto& [element, count] : b) total_b += count, elements.insert(element);
  double sum = 0.0;
  for (const std::string& element : elements) {
    const double in_a = a.contains(element) ? a.at(element) / total_a : 0.0;
    const double in_b = b.contains(element) ? b.at(element) / total_b : 0.0;
    sum += std::abs(in_a - in_b);
  }
  return 0.5 * sum;
}

inline Multiset slow_base(const Expression& tree, std::size_t column) {
  Multiset names;
  for (const BoundKernel& leaf : leaves(tree)) {
    if (leaf.column == column) names[std::string(leaf.kernel->name)] += 1;
  }
  if (names.empty()) names["NULL"] = 1;
  return names;
}

inline void add_slow_paths(const Expression& node, const std::string& above,
                           const std::string& last, Multiset& paths) {
  if (node.is_leaf()) {
    paths[above + tree_key(node)] += 1;
    return;
  }
  const std::string name =
      std::string(node.op().op->name) + "_" + std::to_string(node.op().column) + ">";
  const bool is_merged = name == last && node.op().op != &change_point_operator();
  const std::string here = is_merged ? above : above + name;
  add_slow_paths(node.left(), here, name, paths);
  add_slow_paths(node.right(), here, name, paths);
}

inline Multiset slow_paths(const Expression& tree) {
  Multiset paths;
  add_slow_paths(tree, "", "", paths);
  return paths;
}

inline Multiset slow_subtrees(const Expression& tree) {
  Multiset subtrees;
  for (std::size_t i = 0; i < tree.num_nodes(); ++i) subtrees[tree_key(subtree(tree, i))] += 1;
  return subtrees;
}

inline TransportDistances slow_distances(const Expression& a, const Expression& b,
                                         std::size_t num_inputs) {
  TransportDistances distances{0.0, slow_total_variation(slow_paths(a), slow_paths(b)),
                               slow_total_variation(slow_subtrees(a), slow_subtrees(b))};
  for (std::size_t column = 0; column < num_inputs; ++column) {
    distances.base += slow_total_variation(slow_base(a, column), slow_base(b, column));
  }
  return distances;
}

}  // namespace covary
