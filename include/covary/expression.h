#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <covary/error.h>
#include <covary/kernels.h>

namespace covary {

// Which base kernels act on which inputs, joined by operators: a binary tree, as in the paper
// (section 2.4). Immutable, so copies share their nodes and cost a counter. No parameter values.
class Expression {
 public:
  // Trees are walked recursively, so their size is bounded; no search comes near it.
  static constexpr std::size_t max_leaves = 1000;

  // The tree of one leaf.
  Expression(BoundKernel kernel);  // NOLINT(google-explicit-constructor): a leaf is a tree

  // T(left, right). Throws Error if the tree would have more than max_leaves leaves.
  static Expression join(BoundOperator op, const Expression& left, const Expression& right);

  bool is_leaf() const;
  const BoundKernel& base_kernel() const;  // REQUIRES: is_leaf()
  const BoundOperator& op() const;         // REQUIRES: !is_leaf()
  const Expression& left() const;          // REQUIRES: !is_leaf()
  const Expression& right() const;         // REQUIRES: !is_leaf()

  std::size_t num_leaves() const;
  std::size_t num_nodes() const { return 2 * num_leaves() - 1; }
  std::size_t depth() const;              // 0 for a leaf
  std::size_t num_parameters() const;     // of base kernels and operators; the noise is not in it
  std::size_t num_inputs_needed() const;  // one more than the largest column

  // Equal for trees that are the same in the sense of same_tree() or same_polynomial(), and for
  // others only with a probability of about 2^-64 and 2^-120. The same on every machine.
  std::uint64_t tree_hash() const;
  struct PolynomialHash {
    std::uint64_t first;
    std::uint64_t second;
    friend bool operator==(const PolynomialHash&, const PolynomialHash&) = default;
  };
  const PolynomialHash& polynomial_hash() const;

 private:
  struct Node;
  explicit Expression(std::shared_ptr<const Node> node) : node_(std::move(node)) {}

  std::shared_ptr<const Node> node_;
};

Expression operator+(const Expression& left, const Expression& right);
Expression operator*(const Expression& left, const Expression& right);
Expression change_point(const Expression& before, const Expression& after, std::size_t column);

// The nodes of a tree in preorder: 0 is the root, the left subtree comes before the right one.
// REQUIRES: index < expression.num_nodes().
Expression subtree(const Expression& expression, std::size_t index);
Expression with_subtree(const Expression& expression, std::size_t index,
                        const Expression& replacement);

// The tree whose calendar kernels know their periods, from the length of a year on each scaled
// input, 0 for one without a calendar. Throws Error if it needs one that is not there.
Expression with_periods(const Expression& expression, std::span<const double> years);

// The leaves from left to right.
std::vector<BoundKernel> leaves(const Expression& expression);

// ---- Sameness ---------------------------------------------------------------------------------

// The same tree, node by node, sides included.
bool identical(const Expression& a, const Expression& b);

// The same tree up to swapping the sides of commutative operators (paper, A.1).
bool same_tree(const Expression& a, const Expression& b);
std::string tree_key(const Expression& expression);  // equal exactly for the same tree

// The same polynomial: also up to bracketing, and up to distributing products over sums. An
// operator without such algebra (CP) is a variable of its own, named by its operands' polynomials.
bool same_polynomial(const Expression& a, const Expression& b);

// Equal exactly for the same polynomial. Throws Error if the expanded polynomial has more than
// 100,000 terms before like terms are collected; same_polynomial() has no such limit.
std::string polynomial_key(const Expression& expression);

// Functions that every choice of parameters of one kernel can describe, the noise included, and the
// other as well: SE*SE on one input is SE, LIN + LIN is LIN, a factor that is constant is nothing,
// a constant beside LIN is LIN's own, white noise beside the rest is the model's own noise. The
// shortest form is that of fewest base kernels that we know of, in an order that does not depend on
// the order and the brackets of the expression.
Expression shortest_form(const Expression& expression);
bool same_family(const Expression& a, const Expression& b);
std::string family_key(const Expression& expression);  // equal for the same family, as far as known

// ---- Text -------------------------------------------------------------------------------------

// The inputs that an expression speaks of, by name or only by number. Where their kinds are known,
// base kernels and operators act on those of their kind only.
class InputNames {
 public:
  static InputNames unnamed(std::size_t count);
  explicit InputNames(std::vector<std::string> names, std::vector<InputTraits> traits = {});

  std::size_t size() const { return size_; }
  bool has_names() const { return !names_.empty(); }
  const std::string& name(std::size_t column) const { return names_[column]; }
  const std::vector<std::string>& names() const { return names_; }
  bool may_be(InputKind kind, std::size_t column) const {
    return traits_.empty() || traits_[column].kind == kind;
  }
  // Those that are of a kind, or may be.
  std::vector<std::size_t> columns(InputKind kind) const;

  // What is known of the inputs; empty without data.
  const std::vector<InputTraits>& traits() const { return traits_; }
  // Whether a base kernel can act on an input. Without data, every one can.
  bool suits(const BaseKernel& kernel, std::size_t column) const;

 private:
  explicit InputNames(std::size_t size) : size_(size) {}

  std::size_t size_;
  std::vector<std::string> names_;
  std::vector<InputTraits> traits_;  // empty if they are not known
};

// Where an expression's text is wrong. `column` counts characters (not bytes) from 1.
class ParseError : public Error {
 public:
  ParseError(std::size_t column, const std::string& message);
  std::size_t column() const { return column_; }

 private:
  std::size_t column_;
};

// Reads "LIN + SE*PER", "SE(cement)*RQ_2", "CP(SE, LIN)"; docs/expressions.md has the grammar.
Expression parse_expression(std::string_view text, const InputNames& inputs);

// One base kernel, or one operator, with or without its input: "SE", "SE_2", "+", "CP(age)".
// Without an input, and with several to choose from, it stands for one on each of its kind.
std::vector<BoundKernel> parse_base_kernels(std::string_view text, const InputNames& inputs);
std::vector<BoundOperator> parse_operators(std::string_view text, const InputNames& inputs);

// The text that parses to the identical tree, with no bracket that is not needed for it.
std::string to_string(const Expression& expression, const InputNames& inputs);
std::string to_string(const BoundKernel& kernel, const InputNames& inputs);
std::string to_string(const BoundOperator& op, const InputNames& inputs);

// Inputs by number, or not at all if the expression needs only one.
std::string to_string(const Expression& expression);
std::ostream& operator<<(std::ostream& stream, const Expression& expression);

// The tree drawn with one node a line, for people.
std::string draw_tree(const Expression& expression, const InputNames& inputs);

}  // namespace covary
