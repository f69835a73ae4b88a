#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <covary/expression.h>

namespace covary {

// The multisets Base, Paths and Subtrees of a tree (paper, section 2.4 and A.1), each element as
// often as it occurs and named by a hash: two different elements of one kind share a name with a
// probability of 2^-64. The same on every machine.
struct TreeFeatures {
  struct Base {
    std::size_t column;
    std::uint64_t name;
  };
  std::vector<Base> base;
  // The operators from the root to each leaf, then the leaf. A run of one operator counts once if
  // it commutes and associates, since its operands may then change places.
  std::vector<std::uint64_t> paths;
  // Every node's subtree, up to swapping the sides of commutative operators.
  std::vector<std::uint64_t> subtrees;
};

// Overwrites `features`, so that a loop over expressions allocates nothing.
void collect_features(const Expression& expression, TreeFeatures& features);

}  // namespace covary
