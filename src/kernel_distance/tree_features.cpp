#include "kernel_distance/tree_features.h"

#include "base/hash.h"

namespace covary {
namespace {

void collect_below(const Expression& node, const BoundOperator& parent, std::uint64_t path,
                   TreeFeatures& features) {
  features.subtrees.push_back(node.tree_hash());
  if (node.is_leaf()) {
    features.base.push_back({node.base_kernel().column, node.tree_hash()});
    features.paths.push_back(combine64(path, node.tree_hash()));
    return;
  }
  const BoundOperator& op = node.op();
  const bool is_merged = op == parent && op.op->is_commutative && op.op->is_associative;
  if (!is_merged) path = combine64(path, combine64(hash64(op.op->name), op.column));
  collect_below(node.left(), op, path, features);
  collect_below(node.right(), op, path, features);
}

}  // namespace

void collect_features(const Expression& expression, TreeFeatures& features) {
  features.base.clear();
  features.paths.clear();
  features.subtrees.clear();
  collect_below(expression, BoundOperator{}, 0, features);
}

}  // namespace covary
