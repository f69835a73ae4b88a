#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <covary/expression.h>
#include <covary/grammar.h>

namespace covary {

// The graph of a set of kernels in which two are neighbours if one operation of the grammar makes
// one of them out of the other (paper, section D, "kNN for meta prediction"). Operations are
// directed; paths are not: a kernel from which nothing was made would otherwise have no way out.
class GrammarGraph {
 public:
  static constexpr std::size_t unreachable = std::numeric_limits<std::size_t>::max();

  // Kernels that are the same tree are one place in the graph.
  GrammarGraph(const Grammar& grammar, std::span<const Expression> kernels);

  // The number of operations on a shortest path from one kernel to each, within the set.
  std::vector<std::size_t> path_lengths(std::size_t from) const;

 private:
  std::vector<std::size_t> node_of_;  // by kernel
  std::vector<std::vector<std::size_t>> edges_;
};

}  // namespace covary
