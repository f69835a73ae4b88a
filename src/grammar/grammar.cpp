#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include <covary/grammar.h>

#include "base/checkpoint.h"

namespace covary {
namespace {

template <class Item>
bool has_repeats(const std::vector<Item>& items) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    StopPoint::pass();
    if (std::find(items.begin() + static_cast<std::ptrdiff_t>(i) + 1, items.end(), items[i]) !=
        items.end()) {
      return true;
    }
  }
  return false;
}

// The preorder index of the leaf that has `leaf` leaves to its left.
std::size_t node_of_leaf(const Expression& expression, std::size_t leaf) {
  const Expression* node = &expression;
  std::size_t index = 0;
  while (!node->is_leaf()) {
    const std::size_t num_left = node->left().num_leaves();
    if (leaf < num_left) {
      index += 1;
      node = &node->left();
    } else {
      leaf -= num_left;
      index += 1 + node->left().num_nodes();
      node = &node->right();
    }
  }
  return index;
}

}  // namespace

Grammar::Grammar(SearchSpace space) : space_(std::move(space)) {
  if (space_.base_kernels.empty()) {
    throw Error(ErrorKind::usage, "the search space needs at least one base kernel");
  }
  if (space_.max_leaves == 0) {
    throw Error(ErrorKind::usage, "max_leaves must be a whole number of at least 1, not 0");
  }
  if (has_repeats(space_.base_kernels) || has_repeats(space_.operators)) {
    throw Error(ErrorKind::usage, "the search space names a base kernel or an operator twice");
  }
  for (const BoundOperator& op : space_.operators) {
    join_sides_.push_back({op, false});
    if (!op.op->is_commutative) join_sides_.push_back({op, true});
  }
}

bool Grammar::contains(const BoundKernel& kernel) const {
  return std::find(space_.base_kernels.begin(), space_.base_kernels.end(), kernel) !=
         space_.base_kernels.end();
}

std::uint64_t Grammar::num_exchanges(const Expression& expression) const {
  std::uint64_t count = 0;
  for (const BoundKernel& leaf : leaves(expression)) {
    count += space_.base_kernels.size() - (contains(leaf) ? 1 : 0);
  }
  return count;
}

std::uint64_t Grammar::num_neighbours(const Expression& expression) const {
  const std::uint64_t exchanges = num_exchanges(expression);
  if (expression.num_leaves() >= space_.max_leaves) return exchanges;
  return exchanges +
         std::uint64_t{expression.num_nodes()} * space_.base_kernels.size() * join_sides_.size();
}

Expression Grammar::neighbour(const Expression& expression, std::uint64_t index) const {
  const std::uint64_t exchanges = num_exchanges(expression);
  return index < exchanges ? exchanged(expression, index) : joined(expression, index - exchanges);
}

Expression Grammar::exchanged(const Expression& expression, std::uint64_t index) const {
  const std::vector<BoundKernel> old_leaves = leaves(expression);
  std::size_t leaf = 0;
  while (true) {
    const std::uint64_t choices = space_.base_kernels.size() - (contains(old_leaves[leaf]) ? 1 : 0);
    if (index < choices) break;
    index -= choices;
    ++leaf;
  }
  for (const BoundKernel& kernel : space_.base_kernels) {
    if (kernel == old_leaves[leaf]) continue;
    if (index == 0) {
      return with_subtree(expression, node_of_leaf(expression, leaf), Expression(kernel));
    }
    --index;
  }
  return expression;  // not reached for a valid index
}

Expression Grammar::joined(const Expression& expression, std::uint64_t index) const {
  const std::size_t num_kernels = space_.base_kernels.size();
  const Expression kernel(space_.base_kernels[index % num_kernels]);
  index /= num_kernels;
  const JoinSide& side = join_sides_[index % join_sides_.size()];
  const std::size_t node = index / join_sides_.size();
  const Expression old = subtree(expression, node);
  return with_subtree(expression, node,
                      side.base_kernel_first ? Expression::join(side.op, kernel, old)
                                             : Expression::join(side.op, old, kernel));
}

std::vector<Expression> Grammar::first_neighbours(const Expression& expression,
                                                  std::uint64_t count) const {
  std::vector<Expression> found;
  found.reserve(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    StopPoint::pass();
    found.push_back(neighbour(expression, i));
  }
  return found;
}

std::vector<Expression> Grammar::neighbours(const Expression& expression) const {
  return first_neighbours(expression, num_neighbours(expression));
}

std::vector<Expression> Grammar::exchanges(const Expression& expression) const {
  return first_neighbours(expression, num_exchanges(expression));
}

std::optional<Expression> Grammar::random_neighbour(const Expression& expression,
                                                    Random& random) const {
  StopPoint::pass();  // in all that grows
  const std::uint64_t count = num_neighbours(expression);
  if (count == 0) return std::nullopt;
  return neighbour(expression, random.index(count));
}

std::vector<Expression> Grammar::random_walk(const Expression& start, std::size_t length,
                                             Random& random) const {
  std::vector<Expression> visited;
  const Expression* here = &start;
  visited.reserve(length);
  while (visited.size() < length) {
    std::optional<Expression> next = random_neighbour(*here, random);
    if (!next) break;
    visited.push_back(std::move(*next));
    here = &visited.back();
  }
  return visited;
}

std::vector<Expression> Grammar::start_kernels() const {
  return {space_.base_kernels.begin(), space_.base_kernels.end()};
}

std::vector<Expression> Grammar::initial_kernels(std::size_t walk_length, Random& random) const {
  std::vector<Expression> kernels;
  for (const Expression& start : start_kernels()) {
    kernels.push_back(start);
    for (Expression& visited : random_walk(start, walk_length, random)) {
      kernels.push_back(std::move(visited));
    }
  }
  return kernels;
}

std::vector<Expression> Grammar::grow(std::vector<Expression> members, std::size_t size,
                                      Random& random, Repeats repeats) const {
  if (repeats == Repeats::allowed) {
    return grow(std::move(members), size, random, [](const Expression&) { return true; });
  }
  std::unordered_set<std::string> keys;
  for (const Expression& member : members) keys.insert(tree_key(member));
  return grow(std::move(members), size, random,
              [&](const Expression& kernel) { return keys.insert(tree_key(kernel)).second; });
}

std::vector<Expression> Grammar::grow(std::vector<Expression> members, std::size_t size,
                                      Random& random,
                                      const std::function<bool(const Expression&)>& is_new) const {
  const std::size_t max_failures = 1000 + 10 * size;  // in a row: then nothing new is left
  std::size_t failures = 0;
  while (members.size() < size && failures < max_failures) {
    const Expression& parent = members[random.index(members.size())];
    std::optional<Expression> child = random_neighbour(parent, random);
    if (!child || !is_new(*child)) {
      ++failures;
      continue;
    }
    failures = 0;
    members.push_back(std::move(*child));
  }
  return members;
}

}  // namespace covary
