#include <map>
#include <sstream>

#include <fmt/format.h>
#include <nanobind/stl/map.h>

#include "bindings.h"

namespace covary::python {
namespace {

InputNames names_of(std::size_t count, const std::optional<std::vector<std::string>>& names) {
  return names ? InputNames(*names) : InputNames::unnamed(count);
}

NamedExpression joined(const BoundOperator& op, const NamedExpression& left,
                       const NamedExpression& right) {
  const bool same_inputs =
      left.inputs.size() == right.inputs.size() && left.inputs.names() == right.inputs.names();
  if (!same_inputs) {
    throw Error(ErrorKind::usage,
                fmt::format("{} and {} speak of different inputs; give both the same", left.text(),
                            right.text()));
  }
  return {Expression::join(op, left.tree, right.tree), left.inputs};
}

const NamedExpression& inner(const NamedExpression& self, const char* what) {
  if (self.tree.is_leaf()) {
    throw Error(ErrorKind::usage,
                fmt::format("{} is a base kernel and has no {}", self.text(), what));
  }
  return self;
}

Grammar grammar_of(const InputNames& inputs, const std::string& space, const std::string& operators,
                   std::size_t max_leaves) {
  return Grammar(make_search_space(
      {.space = space, .operators = operators, .max_leaves = max_leaves}, inputs));
}

std::vector<NamedExpression> named(const std::vector<Expression>& trees, const InputNames& inputs) {
  std::vector<NamedExpression> expressions;
  expressions.reserve(trees.size());
  for (const Expression& tree : trees) expressions.push_back({tree, inputs});
  return expressions;
}

}  // namespace

void bind_base_kernels(nb::module_& module) {
  nb::class_<BaseKernel>(module, "BaseKernel", "One of the words that expressions are made of.")
      .def_prop_ro("name", [](const BaseKernel& self) { return std::string(self.name); })
      .def_prop_ro("title", [](const BaseKernel& self) { return std::string(self.title); })
      .def_prop_ro("formula", [](const BaseKernel& self) { return std::string(self.formula); })
      .def_prop_ro(
          "noun", [](const BaseKernel& self) { return std::string(self.noun); },
          "The function that it describes.")
      .def_prop_ro(
          "calendar_unit",
          [](const BaseKernel& self) -> std::optional<std::string> {
            if (self.calendar_unit == CalendarUnit::none) return std::nullopt;
            return std::string(to_string(self.calendar_unit));
          },
          "Of one that repeats after a stretch of the calendar: 'year', 'week' or 'day'.")
      .def_prop_ro(
          "parameters",
          [](const BaseKernel& self) {
            std::vector<std::string> names;
            for (const Parameter& parameter : self.parameters) names.emplace_back(parameter.name);
            return names;
          },
          "Their names, in order.")
      .def_prop_ro(
          "exports",
          [](const BaseKernel& self) {
            return std::map<std::string, std::string>{
                {"sklearn", std::string(self.exports.sklearn)},
                {"gpytorch", std::string(self.exports.gpytorch)},
                {"gpflow", std::string(self.exports.gpflow)}};
          },
          "How other libraries write it, as Python text; empty without a counterpart.")
      .def("__repr__",
           [](const BaseKernel& self) { return fmt::format("BaseKernel('{}')", self.name); });
  module.def(
      "base_kernels",
      [] {
        const auto all = all_base_kernels();
        return std::vector<const BaseKernel*>(all.begin(), all.end());
      },
      nb::rv_policy::reference, "Every base kernel, in the order of the registry.");
}

void bind_expressions(nb::module_& module) {
  bind_base_kernels(module);
  nb::class_<NamedExpression>(
      module, "Expression",
      "A kernel expression such as ``LIN + SE*PER``: which base kernels act on which inputs, "
      "joined "
      "by operators. Immutable, without parameter values.\n\n"
      ">>> import covary\n"
      ">>> kernel = covary.Expression('LIN + SE*PER')\n"
      ">>> kernel * covary.Expression('RQ')\n"
      "Expression('(LIN + SE*PER)*RQ')\n"
      ">>> kernel.num_leaves, kernel.depth\n"
      "(3, 2)\n"
      ">>> print(covary.Expression('SE(cement)*LIN_2', ['cement', 'age']))\n"
      "SE(cement)*LIN(age)")
      .def(
          "__init__",
          [](NamedExpression* self, const std::string& text,
             const std::vector<std::string>& names) {
            const InputNames inputs(names);
            new (self) NamedExpression{parse_expression(text, inputs), inputs};
          },
          nb::arg("text"), nb::arg("inputs"), "With the inputs' names.")
      .def(
          "__init__",
          [](NamedExpression* self, const std::string& text, std::size_t count) {
            const InputNames inputs = InputNames::unnamed(count);
            new (self) NamedExpression{parse_expression(text, inputs), inputs};
          },
          nb::arg("text"), nb::arg("inputs") = 1, "With the number of inputs.")
      .def("__str__", &NamedExpression::text)
      .def("__repr__",
           [](const NamedExpression& self) { return fmt::format("Expression('{}')", self.text()); })
      .def(
          "__add__",
          [](const NamedExpression& a, const NamedExpression& b) {
            return joined({&add_operator()}, a, b);
          },
          nb::is_operator())
      .def(
          "__mul__",
          [](const NamedExpression& a, const NamedExpression& b) {
            return joined({&mult_operator()}, a, b);
          },
          nb::is_operator())
      .def(
          "__eq__",
          [](const NamedExpression& a, const NamedExpression& b) {
            return identical(a.tree, b.tree);
          },
          nb::is_operator(), nb::sig("def __eq__(self, other: object, /) -> bool"),
          "The same tree, node by node.")
      .def("__hash__",
           [](const NamedExpression& self) {
             return static_cast<std::size_t>(self.tree.tree_hash() >> 1U);
           })
      .def_prop_ro(
          "inputs",
          [](const NamedExpression& self) -> nb::object {
            if (self.inputs.has_names()) return nb::cast(self.inputs.names());
            return nb::cast(self.inputs.size());
          },
          "The inputs' names, or their number.")
      .def_prop_ro("num_leaves", [](const NamedExpression& self) { return self.tree.num_leaves(); })
      .def_prop_ro("depth", [](const NamedExpression& self) { return self.tree.depth(); })
      .def_prop_ro(
          "num_parameters", [](const NamedExpression& self) { return self.tree.num_parameters(); },
          "Of base kernels and operators; the noise is not in it.")
      .def_prop_ro("is_leaf", [](const NamedExpression& self) { return self.tree.is_leaf(); })
      .def_prop_ro(
          "name",
          [](const NamedExpression& self) {
            return std::string(self.tree.is_leaf() ? self.tree.base_kernel().kernel->name
                                                   : self.tree.op().op->name);
          },
          "Of the base kernel ('SE') or the operator ('ADD', 'MULT', 'CP') at the root.")
      .def_prop_ro(
          "column",
          [](const NamedExpression& self) -> std::optional<std::size_t> {
            if (self.tree.is_leaf()) return self.tree.base_kernel().column;
            if (self.tree.op().op->acts_on_input) return self.tree.op().column;
            return std::nullopt;
          },
          "The input that the root acts on, counted from 0.")
      .def_prop_ro("left",
                   [](const NamedExpression& self) {
                     return NamedExpression{inner(self, "left side").tree.left(), self.inputs};
                   })
      .def_prop_ro("right",
                   [](const NamedExpression& self) {
                     return NamedExpression{inner(self, "right side").tree.right(), self.inputs};
                   })
      .def(
          "same_tree",
          [](const NamedExpression& a, const NamedExpression& b) {
            return covary::same_tree(a.tree, b.tree);
          },
          nb::arg("other"), "Up to swapping the sides of commutative operators.")
      .def_prop_ro(
          "period",
          [](const NamedExpression& self) -> std::optional<double> {
            const bool has_one =
                self.tree.is_leaf() &&
                self.tree.base_kernel().kernel->calendar_unit != CalendarUnit::none;
            return has_one ? std::optional(self.tree.base_kernel().period) : std::nullopt;
          },
          "Of a base kernel whose period the calendar gives, in a fitted model: its length on the "
          "scaled input.")
      .def(
          "same_polynomial",
          [](const NamedExpression& a, const NamedExpression& b) {
            return covary::same_polynomial(a.tree, b.tree);
          },
          nb::arg("other"), "Also up to bracketing and distributing products over sums.")
      .def(
          "same_family",
          [](const NamedExpression& a, const NamedExpression& b) {
            return covary::same_family(a.tree, b.tree);
          },
          nb::arg("other"), "The same functions, as far as known: equal shortest forms.")
      .def(
          "shortest_form",
          [](const NamedExpression& self) {
            return NamedExpression{covary::shortest_form(self.tree), self.inputs};
          },
          "The same functions in as few base kernels as known: SE of SE*SE, LIN of LIN + C.")
      .def(
          "tree", [](const NamedExpression& self) { return draw_tree(self.tree, self.inputs); },
          "The tree drawn with one node a line.")
      .def("__getstate__",
           [](const NamedExpression& self) {
             return std::tuple(
                 self.text(), self.inputs.size(),
                 self.inputs.has_names() ? std::optional(self.inputs.names()) : std::nullopt);
           })
      .def("__setstate__",
           [](NamedExpression& self,
              const std::tuple<std::string, std::size_t, std::optional<std::vector<std::string>>>&
                  state) {
             const InputNames inputs = names_of(std::get<1>(state), std::get<2>(state));
             new (&self) NamedExpression{parse_expression(std::get<0>(state), inputs), inputs};
           });

  module.def(
      "change_point",
      [](const NamedExpression& before, const NamedExpression& after, std::size_t column) {
        if (column >= before.inputs.size()) {
          throw Error(ErrorKind::usage, fmt::format("there is no input {}", column));
        }
        return joined({&change_point_operator(), column}, before, after);
      },
      nb::arg("before"), nb::arg("after"), nb::arg("column") = 0,
      "One kernel before and another after a change point along an input, counted from 0.\n\n"
      ">>> import covary\n"
      ">>> covary.change_point(covary.Expression('SE'), covary.Expression('LIN'))\n"
      "Expression('CP(SE, LIN)')");
  module.def(
      "distance",
      [](const NamedExpression& a, const NamedExpression& b) {
        const TransportDistances d = transport_distances(a.tree, b.tree);
        return std::tuple(d.base, d.paths, d.subtrees);
      },
      nb::arg("a"), nb::arg("b"));
  const SearchSpaceOptions standard;
  module.def(
      "neighbours",
      [](const NamedExpression& expression, const std::string& space, const std::string& operators,
         std::size_t max_leaves) {
        const Grammar grammar = grammar_of(expression.inputs, space, operators, max_leaves);
        return named(grammar.neighbours(expression.tree), expression.inputs);
      },
      nb::arg("expression"), nb::arg("space") = standard.space,
      nb::arg("operators") = standard.operators, nb::arg("max_leaves") = standard.max_leaves,
      "Every kernel that one operation of the grammar makes of an expression.\n\n"
      ">>> import covary\n"
      ">>> [str(k) for k in covary.neighbours(covary.Expression('SE'), space='SE,LIN')]\n"
      "['LIN', 'SE + SE', 'SE + LIN', 'SE*SE', 'SE*LIN']");
  module.def(
      "random_walk",
      [](const NamedExpression& expression, std::size_t length, std::uint64_t seed,
         const std::string& space, const std::string& operators, std::size_t max_leaves) {
        const Grammar grammar = grammar_of(expression.inputs, space, operators, max_leaves);
        Random random(seed);
        return named(grammar.random_walk(expression.tree, length, random), expression.inputs);
      },
      nb::arg("expression"), nb::arg("length"), nb::arg("seed") = 1,
      nb::arg("space") = standard.space, nb::arg("operators") = standard.operators,
      nb::arg("max_leaves") = standard.max_leaves,
      "The kernels that a random walk through the grammar visits after an expression.");
}

}  // namespace covary::python
