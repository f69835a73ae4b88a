#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <covary/expression.h>

#include "explain/quantity_text.h"
#include "report/svg.h"

namespace covary {
namespace {

constexpr double leaf_gap = 14.0;
constexpr double level_height = 62.0;
constexpr double leaf_height = 26.0;
constexpr double radius = 15.0;
constexpr double margin = 6.0;
constexpr double character_width = 6.6;
constexpr double name_width = 9.4;  // of a bold character in a leaf, in the widest of usual fonts
constexpr std::size_t note_characters = 20;

struct Node {
  std::string label;                // "SE", "+", "×", "CP"
  std::vector<std::string> notes;   // below a leaf: its input, its length
  std::vector<Node> children = {};  // of an operator
  double x = 0.0;
  double y = 0.0;
};

std::size_t num_characters(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

// Parameters are listed in preorder, an operator's before its operands'.
class TreeBuilder {
 public:
  explicit TreeBuilder(const FittedModel& model)
      : data_(model.data()), values_(model.parameters()) {}

  Node build(const Expression& expression) {
    return expression.is_leaf() ? leaf(expression.base_kernel()) : inner(expression);
  }

 private:
  Node leaf(const BoundKernel& bound) {
    Node node{std::string(bound.kernel->name), {}};
    const Scaling& input = data_.input_scaling(bound.column);
    if (data_.num_inputs() > 1) node.notes.push_back(input.name);
    std::string length;
    for (const Parameter& parameter : bound.kernel->parameters) {
      const double value = values_[next_++];
      if (parameter.quantity != Quantity::input_length || !length.empty()) continue;
      const bool repeats = bound.kernel->role == KernelRole::periodic;
      length = fmt::format("{} {}", repeats ? "every" : "over", length_text(input, value));
    }
    if (bound.kernel->calendar_unit != CalendarUnit::none) {
      length = "every " + std::string(to_string(bound.kernel->calendar_unit));
    }
    if (!length.empty()) node.notes.push_back(length);
    return node;
  }

  Node inner(const Expression& expression) {
    const Operator& op = *expression.op().op;
    Node node{op.algebra == Algebra::product ? "×" : std::string(op.symbol), {}};
    for (const Parameter& parameter : op.parameters) {
      const double value = values_[next_++];
      if (parameter.quantity == Quantity::input_location) {
        node.notes.push_back("at " +
                             place_text(data_.input_scaling(expression.op().column), value));
      }
    }
    for (const Expression* side : {&expression.left(), &expression.right()}) {
      Node child = build(*side);
      const bool is_chain = op.is_associative && !side->is_leaf() && side->op() == expression.op();
      if (is_chain) {
        std::move(child.children.begin(), child.children.end(), std::back_inserter(node.children));
      } else {
        node.children.push_back(std::move(child));
      }
    }
    return node;
  }

  const Dataset& data_;
  const std::vector<double>& values_;
  std::size_t next_ = 0;
};

double box_width(const Node& leaf) {
  return std::max(44.0, name_width * static_cast<double>(num_characters(leaf.label)) + 12.0);
}

double leaf_width(const Node& leaf) {
  std::size_t longest = 0;
  for (const std::string& note : leaf.notes) {
    longest = std::max(longest, std::min(num_characters(note), note_characters));
  }
  return std::max(box_width(leaf), character_width * static_cast<double>(longest));
}

double place_nodes(Node& node, double left, std::size_t depth, double& deepest) {
  node.y = margin + radius + static_cast<double>(depth) * level_height;
  deepest = std::max(deepest, node.y);
  if (node.children.empty()) {
    const double width = leaf_width(node);
    node.x = left + 0.5 * width;
    return left + width + leaf_gap;
  }
  for (Node& child : node.children) left = place_nodes(child, left, depth + 1, deepest);
  node.x = 0.5 * (node.children.front().x + node.children.back().x);
  for (const std::string& note : node.notes) {  // room for it, to the right of the operator
    const auto characters = static_cast<double>(std::min(num_characters(note), note_characters));
    left = std::max(left, node.x + radius + 6.0 + character_width * characters + leaf_gap);
  }
  return left;
}

std::string draw_edges(const Node& node) {
  std::string out;
  for (const Node& child : node.children) {
    const double middle = 0.5 * (node.y + child.y);
    out += fmt::format(R"(<path class="edge" d="M{0:.1f} {1:.1f}C{0:.1f} {2:.1f} {3:.1f} {2:.1f} )"
                       R"({3:.1f} {4:.1f}"/>)",
                       node.x, node.y, middle, child.x, child.y);
    out += draw_edges(child);
  }
  return out;
}

// Below a leaf, beside an operator, whose edges go down.
std::string draw_notes(const Node& node) {
  const bool is_leaf = node.children.empty();
  const double x = is_leaf ? node.x : node.x + radius + 6.0;
  double y = is_leaf ? node.y + 0.5 * leaf_height + 15.0 : node.y - 3.0;
  std::string out;
  for (const std::string& note : node.notes) {
    out += fmt::format(R"(<text class="note" x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>)", x,
                       y, is_leaf ? "middle" : "start", markup_text(note, note_characters));
    y += 15.0;
  }
  return out;
}

std::string draw_nodes(const Node& node) {
  std::string out;
  const bool is_leaf = node.children.empty();
  if (is_leaf) {
    const double width = box_width(node);
    out += fmt::format(R"(<rect class="leaf" x="{:.1f}" y="{:.1f}" width="{:.1f}" )"
                       R"(height="{:.1f}" rx="6"/>)",
                       node.x - 0.5 * width, node.y - 0.5 * leaf_height, width, leaf_height);
  } else {
    out += fmt::format(R"(<circle class="operator" cx="{:.1f}" cy="{:.1f}" r="{:.1f}"/>)", node.x,
                       node.y, radius);
  }
  out += fmt::format(R"(<text class="{}" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
                     is_leaf                                       ? "name"
                     : node.label.size() == 1 || node.label == "×" ? "symbol"
                                                                   : "symbol word",
                     node.x, node.y + (is_leaf ? 4.5 : 5.5), markup_text(node.label));
  out += draw_notes(node);
  for (const Node& child : node.children) out += draw_nodes(child);
  return out;
}

}  // namespace

std::string tree_svg(const FittedModel& model) {
  Node root = TreeBuilder(model).build(model.kernel());
  double deepest = 0.0;
  const double width = place_nodes(root, margin, 0, deepest) - leaf_gap + margin;
  const double height = deepest + 0.5 * leaf_height + (model.data().num_inputs() > 1 ? 38.0 : 23.0);
  return fmt::format(
      R"(<svg class="static tree" viewBox="0 0 {0:.0f} {1:.0f}" style="--tree-width:{0:.0f}px" )"
      R"(role="img" aria-label="The kernel as a tree: {2}">{3}{4}</svg>)",
      width, height, markup_text(model.kernel_text()), draw_edges(root), draw_nodes(root));
}

}  // namespace covary
