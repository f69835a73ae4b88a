#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <covary/expression.h>
#include <covary/random.h>
#include <covary/settings.h>

namespace covary {

// What kernels may be made of: the paper's base kernels B_1 ... B_r and operators T_1 ... T_l.
struct SearchSpace {
  std::vector<BoundKernel> base_kernels;
  std::vector<BoundOperator> operators;
  std::size_t max_leaves = Expression::max_leaves;
};

struct SearchSpaceOptions {
  // "auto" (what suits each input), "paper-small" (SE, LIN, PER, RQ on every input), "paper-large"
  // (SE, RQ on every input), or a list such as "SE,PER(month)"; a kernel without an input stands
  // for one on each of its kind. Categories have all kernels that act on them, unless the list has
  // one of those.
  std::string space = "auto";
  // A list such as "+,*,CP", or "auto": + and *, and what suits the inputs where the space is open
  // too.
  std::string operators = "auto";
  std::size_t max_leaves = Expression::max_leaves;
};

const std::vector<Setting<SearchSpaceOptions>>& search_space_settings();

// Throws Error with a sentence if a name is unknown or listed twice.
SearchSpace make_search_space(const SearchSpaceOptions& options, const InputNames& inputs);

// The grammar that spans the search space (paper, section 2.3). Its operations on an expression S
// are: exchange a leaf for another base kernel, and replace any subtree S' by T(S', B), also by
// T(B, S') if T does not commute. Each operation gives one neighbour; two operations may give the
// same tree, so neighbours are counted and drawn by operation, as in the paper.
class Grammar {
 public:
  // Throws Error unless the space has base kernels, each of them and each operator once, and room
  // for a leaf.
  explicit Grammar(SearchSpace space);

  const SearchSpace& space() const { return space_; }

  // The number of operations that apply, in closed form: for m leaves, all of the space, r base
  // kernels, c commutative and t other operators m (r - 1) + (2m - 1) r (c + 2t); without the
  // second term when m has reached max_leaves.
  std::uint64_t num_neighbours(const Expression& expression) const;

  // The result of operation `index`, without building the others.
  // REQUIRES: index < num_neighbours(expression).
  Expression neighbour(const Expression& expression, std::uint64_t index) const;

  std::vector<Expression> neighbours(const Expression& expression) const;
  // Those of them that are as large: one leaf exchanged.
  std::vector<Expression> exchanges(const Expression& expression) const;

  // Uniform over the operations; nothing if none applies.
  std::optional<Expression> random_neighbour(const Expression& expression, Random& random) const;

  // The kernels that a random walk of `length` steps visits after `start`.
  std::vector<Expression> random_walk(const Expression& start, std::size_t length,
                                      Random& random) const;

  // Every base kernel as an expression.
  std::vector<Expression> start_kernels() const;

  // The paper's initial set: each base kernel, followed by the kernels of a walk from it.
  std::vector<Expression> initial_kernels(std::size_t walk_length, Random& random) const;

  // Adds random neighbours of random members until there are `size`; with `is_new`, only those of
  // which it is true (then fewer than `size` if the space seems to be exhausted), as with
  // `Repeats::left_out` of trees that are not yet there.
  // REQUIRES: members is not empty.
  enum class Repeats { allowed, left_out };
  std::vector<Expression> grow(std::vector<Expression> members, std::size_t size, Random& random,
                               Repeats repeats = Repeats::allowed) const;
  std::vector<Expression> grow(std::vector<Expression> members, std::size_t size, Random& random,
                               const std::function<bool(const Expression&)>& is_new) const;

 private:
  struct JoinSide {
    BoundOperator op;
    bool base_kernel_first = false;
  };

  bool contains(const BoundKernel& kernel) const;
  std::uint64_t num_exchanges(const Expression& expression) const;
  std::vector<Expression> first_neighbours(const Expression& expression, std::uint64_t count) const;
  Expression exchanged(const Expression& expression, std::uint64_t index) const;
  Expression joined(const Expression& expression, std::uint64_t index) const;

  SearchSpace space_;
  std::vector<JoinSide> join_sides_;  // T(S, B), and T(B, S) where that differs
};

// Definition 1 of the paper: L_0 are the base kernels, L_i all T(a, b) with a, b in L_{i-1} and
// L_{i-1} itself. Each tree once, up to swapping sides. Grows doubly exponentially with `depth`;
// max_leaves of the space is respected.
std::vector<Expression> kernel_space(const SearchSpace& space, std::size_t depth);

}  // namespace covary
