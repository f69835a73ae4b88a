#include <fmt/format.h>

#include <covary/expression.h>

namespace covary {
namespace {

void draw(const Expression& expression, const InputNames& inputs, const std::string& indent,
          std::string& out) {
  if (expression.is_leaf()) {
    out += to_string(expression.base_kernel(), inputs) + "\n";
    return;
  }
  const Operator& op = *expression.op().op;
  out += op.acts_on_input ? to_string(expression.op(), inputs) : std::string(op.name);
  out += "\n" + indent + "├── ";
  draw(expression.left(), inputs, indent + "│   ", out);
  out += indent + "└── ";
  draw(expression.right(), inputs, indent + "    ", out);
}

}  // namespace

std::string draw_tree(const Expression& expression, const InputNames& inputs) {
  std::string out;
  draw(expression, inputs, "", out);
  return out;
}

}  // namespace covary
