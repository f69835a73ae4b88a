#include "evidence/warm_start.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <utility>

namespace covary {
namespace {

std::span<const Parameter> own_parameters(const Expression& node) {
  return node.is_leaf() ? std::span<const Parameter>(node.base_kernel().kernel->parameters)
                        : std::span<const Parameter>(node.op().op->parameters);
}

// Where a node's own parameters begin, by preorder index.
std::vector<std::size_t> parameter_offsets(const Expression& tree) {
  std::vector<std::size_t> offsets;
  std::size_t next = 0;
  for (std::size_t i = 0; i < tree.num_nodes(); ++i) {
    offsets.push_back(next);
    next += own_parameters(subtree(tree, i)).size();
  }
  return offsets;
}

// Pairs (node of the new tree, node of the old one), both by preorder index.
struct Pairing {
  int score = 0;  // matched base kernels count 3, operators and other kernels of the input 1
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
};

Pairing joined(const Pairing& a, const Pairing& b, int extra) {
  Pairing sum = a;
  sum.score += b.score + extra;
  sum.pairs.insert(sum.pairs.end(), b.pairs.begin(), b.pairs.end());
  return sum;
}

// The best pairing of two subtrees: roots paired (sides also swapped where they commute), or one of
// the roots left out, which undoes a join.
class Matcher {
 public:
  const Pairing& best(const Expression& a, std::size_t a_index, const Expression& b,
                      std::size_t b_index) {
    const auto key = std::pair(a_index, b_index);
    const auto known = known_.find(key);
    if (known != known_.end()) return known->second;
    return known_.emplace(key, compute(a, a_index, b, b_index)).first->second;
  }

 private:
  Pairing compute(const Expression& a, std::size_t a_index, const Expression& b,
                  std::size_t b_index) {
    if (a.is_leaf() && b.is_leaf()) {
      if (a.base_kernel() == b.base_kernel()) return {3, {{a_index, b_index}}};
      // Another base kernel in its place: what they have in common tells as much.
      if (a.base_kernel().column == b.base_kernel().column) return {1, {{a_index, b_index}}};
      return {};
    }
    Pairing found;
    const auto consider = [&](const Pairing& candidate) {
      if (candidate.score > found.score) found = candidate;
    };
    const std::size_t a_left = a_index + 1;
    const std::size_t b_left = b_index + 1;
    const std::size_t a_right = a.is_leaf() ? 0 : a_left + a.left().num_nodes();
    const std::size_t b_right = b.is_leaf() ? 0 : b_left + b.left().num_nodes();
    if (!a.is_leaf() && !b.is_leaf() && a.op() == b.op()) {
      const Pairing roots{1, {{a_index, b_index}}};
      consider(joined(joined(best(a.left(), a_left, b.left(), b_left),
                             best(a.right(), a_right, b.right(), b_right), 0),
                      roots, 0));
      if (a.op().op->is_commutative) {
        consider(joined(joined(best(a.left(), a_left, b.right(), b_right),
                               best(a.right(), a_right, b.left(), b_left), 0),
                        roots, 0));
      }
    }
    if (!a.is_leaf()) {
      consider(best(a.left(), a_left, b, b_index));
      consider(best(a.right(), a_right, b, b_index));
    }
    if (!b.is_leaf()) {
      consider(best(a, a_index, b.left(), b_left));
      consider(best(a, a_index, b.right(), b_right));
    }
    return found;
  }

  std::map<std::pair<std::size_t, std::size_t>, Pairing> known_;
};

}  // namespace

std::vector<double> transferred_parameters(const Expression& kernel, const WarmStart& from) {
  if (from.parameters.size() != from.kernel.num_parameters() + 1) return {};
  Matcher matcher;
  const Pairing& pairing = matcher.best(kernel, 0, from.kernel, 0);
  if (pairing.score == 0) return {};
  std::vector<double> parameters(kernel.num_parameters() + 1,
                                 std::numeric_limits<double>::quiet_NaN());
  const std::vector<std::size_t> to_offsets = parameter_offsets(kernel);
  const std::vector<std::size_t> from_offsets = parameter_offsets(from.kernel);
  for (const auto& [to, source] : pairing.pairs) {
    const std::span<const Parameter> wanted = own_parameters(subtree(kernel, to));
    const std::span<const Parameter> known = own_parameters(subtree(from.kernel, source));
    for (std::size_t p = 0; p < wanted.size(); ++p) {
      const auto same = std::find_if(known.begin(), known.end(), [&](const Parameter& parameter) {
        return parameter.name == wanted[p].name && parameter.quantity == wanted[p].quantity;
      });
      if (same == known.end()) continue;
      const auto q = static_cast<std::size_t>(same - known.begin());
      parameters[to_offsets[to] + p] = from.parameters[from_offsets[source] + q];
    }
  }
  parameters.back() = from.parameters.back();
  return parameters;
}

}  // namespace covary
