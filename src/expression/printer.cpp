#include <ostream>

#include <fmt/format.h>

#include <covary/expression.h>

#include "expression/syntax.h"

namespace covary {
namespace {

std::string quoted_name(const std::string& name) {
  if (is_bare_name(name)) return name;
  std::string quoted = "`";
  for (const char c : name) quoted.append(c == '`' ? 2 : 1, c);
  return quoted + "`";
}

// One input needs no mention; several go by name, or by number if they have no names.
std::string with_input(std::string_view symbol, std::size_t column, const InputNames& inputs) {
  if (inputs.size() == 1 && column == 0) return std::string(symbol);
  if (inputs.has_names() && column < inputs.size()) {
    return fmt::format("{}({})", symbol, quoted_name(inputs.name(column)));
  }
  return fmt::format("{}_{}", symbol, column + 1);
}

void print(const Expression& expression, const InputNames& inputs, int outer_precedence,
           std::string& out) {
  if (expression.is_leaf()) {
    out += to_string(expression.base_kernel(), inputs);
    return;
  }
  const Operator& op = *expression.op().op;
  if (!op.is_infix) {
    const bool by_name = op.acts_on_input && inputs.size() > 1 && inputs.has_names() &&
                         expression.op().column < inputs.size();
    out += by_name ? std::string(op.symbol) : to_string(expression.op(), inputs);
    out += '(';
    print(expression.left(), inputs, 0, out);
    out += ", ";
    print(expression.right(), inputs, 0, out);
    if (by_name) out += ", " + quoted_name(inputs.name(expression.op().column));
    out += ')';
    return;
  }
  // Operators associate to the left, so only a right operand of equal precedence needs brackets.
  const int inner = precedence(op);
  const bool needs_brackets = inner < outer_precedence;
  if (needs_brackets) out += '(';
  print(expression.left(), inputs, inner, out);
  out += op.algebra == Algebra::product ? std::string(op.symbol) : fmt::format(" {} ", op.symbol);
  print(expression.right(), inputs, inner + 1, out);
  if (needs_brackets) out += ')';
}

}  // namespace

std::string to_string(const BoundKernel& kernel, const InputNames& inputs) {
  if (!kernel.kernel->uses_input) return std::string(kernel.kernel->name);
  return with_input(kernel.kernel->name, kernel.column, inputs);
}

std::string to_string(const BoundOperator& op, const InputNames& inputs) {
  if (!op.op->acts_on_input) return std::string(op.op->symbol);
  return with_input(op.op->symbol, op.column, inputs);
}

std::string to_string(const Expression& expression, const InputNames& inputs) {
  std::string out;
  print(expression, inputs, 0, out);
  return out;
}

std::string to_string(const Expression& expression) {
  return to_string(expression, InputNames::unnamed(expression.num_inputs_needed()));
}

std::ostream& operator<<(std::ostream& stream, const Expression& expression) {
  return stream << to_string(expression);
}

}  // namespace covary
