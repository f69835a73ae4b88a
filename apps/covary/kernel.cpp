// covary kernel: what a kernel expression means, or, without one, what expressions are made of.
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <covary/covary.h>

#include "command_line.h"
#include "commands.h"
#include "settings_flags.h"
#include "terminal.h"

namespace covary::app {
namespace {

struct KernelOptions {
  std::string text;
  std::string inputs = "1";
  SearchSpaceOptions space;
  bool neighbours = false;
  bool json = false;
};

void append_parameters(const std::string& owner, std::span<const Parameter> parameters,
                       std::vector<std::vector<std::string>>& rows) {
  for (const Parameter& parameter : parameters) {
    rows.push_back({owner, std::string(parameter.name), std::string(parameter.symbol),
                    to_string(parameter.prior)});
  }
}

// Every parameter in the order of the tree, operators before their operands.
void collect_parameters(const Expression& expression, const InputNames& inputs,
                        std::vector<std::vector<std::string>>& rows) {
  if (expression.is_leaf()) {
    append_parameters(to_string(expression.base_kernel(), inputs),
                      expression.base_kernel().kernel->parameters, rows);
    return;
  }
  append_parameters(to_string(expression.op(), inputs), expression.op().op->parameters, rows);
  collect_parameters(expression.left(), inputs, rows);
  collect_parameters(expression.right(), inputs, rows);
}

// Nothing if the expanded polynomial is too long to write down.
std::optional<std::string> short_polynomial_key(const Expression& expression) {
  try {
    return polynomial_key(expression);
  } catch (const Error&) {
    return std::nullopt;
  }
}

void print_kernel_json(const Expression& expression, const InputNames& inputs,
                       const Grammar& grammar, bool list_neighbours) {
  std::vector<std::vector<std::string>> rows;
  collect_parameters(expression, inputs, rows);
  nlohmann::ordered_json parameters = nlohmann::ordered_json::array();
  for (const auto& row : rows) {
    parameters.push_back({{"kernel", row[0]}, {"name", row[1]}, {"prior", row[3]}});
  }
  nlohmann::ordered_json out = {{"kernel", to_string(expression, inputs)},
                                {"leaves", expression.num_leaves()},
                                {"depth", expression.depth()},
                                {"parameters", parameters},
                                {"tree_key", tree_key(expression)},
                                {"polynomial_key", nullptr},
                                {"shortest_form", to_string(shortest_form(expression), inputs)},
                                {"num_neighbours", grammar.num_neighbours(expression)}};
  if (const auto key = short_polynomial_key(expression)) out["polynomial_key"] = *key;
  if (list_neighbours) {
    out["neighbours"] = nlohmann::ordered_json::array();
    for (const Expression& neighbour : grammar.neighbours(expression)) {
      out["neighbours"].push_back(to_string(neighbour, inputs));
    }
  }
  fmt::print("{}\n", out.dump(2));
}

void print_kernel_text(const Expression& expression, const InputNames& inputs,
                       const Grammar& grammar, bool list_neighbours) {
  fmt::print("{}\n\n{}\n", to_string(expression, inputs), draw_tree(expression, inputs));
  std::vector<std::vector<std::string>> rows = {{"kernel", "parameter", "symbol", "prior"}};
  collect_parameters(expression, inputs, rows);
  fmt::print("{}\n", format_table(rows));
  fmt::print("same tree as        {}\n", tree_key(expression));
  fmt::print("same polynomial as  {}\n",
             short_polynomial_key(expression).value_or("(too long to write down)"));
  fmt::print("same functions as   {}\n", to_string(shortest_form(expression), inputs));
  fmt::print("neighbours          {}\n", grammar.num_neighbours(expression));
  if (list_neighbours) {
    for (const Expression& neighbour : grammar.neighbours(expression)) {
      fmt::print("  {}\n", to_string(neighbour, inputs));
    }
  }
}

void print_registry() {
  std::vector<std::vector<std::string>> rows = {{"word", "base kernel", "k(x, x')", "describes a"}};
  for (const BaseKernel* kernel : all_base_kernels()) {
    rows.push_back({std::string(kernel->name), std::string(kernel->title),
                    std::string(kernel->formula), std::string(kernel->noun)});
  }
  fmt::print("{}\n", format_table(rows));
  rows = {{"word", "operator", "of two kernels A and B"}};
  for (const Operator* op : all_operators()) {
    rows.push_back({std::string(op->symbol), std::string(op->title), std::string(op->formula)});
  }
  fmt::print("{}\n", format_table(rows));
  rows = {{"word", "parameter", "symbol", "prior"}};
  for (const BaseKernel* kernel : all_base_kernels()) {
    append_parameters(std::string(kernel->name), kernel->parameters, rows);
  }
  for (const Operator* op : all_operators()) {
    append_parameters(std::string(op->symbol), op->parameters, rows);
  }
  fmt::print("{}", format_table(rows));
}

nlohmann::ordered_json parameters_json(std::span<const Parameter> parameters) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Parameter& parameter : parameters) {
    list.push_back({{"name", parameter.name}, {"prior", to_string(parameter.prior)}});
  }
  return list;
}

void print_registry_json() {
  nlohmann::ordered_json out = {{"base_kernels", nlohmann::ordered_json::array()},
                                {"operators", nlohmann::ordered_json::array()}};
  for (const BaseKernel* kernel : all_base_kernels()) {
    out["base_kernels"].push_back({{"word", kernel->name},
                                   {"title", kernel->title},
                                   {"formula", kernel->formula},
                                   {"parameters", parameters_json(kernel->parameters)}});
  }
  for (const Operator* op : all_operators()) {
    out["operators"].push_back({{"word", op->symbol},
                                {"title", op->title},
                                {"formula", op->formula},
                                {"parameters", parameters_json(op->parameters)}});
  }
  fmt::print("{}\n", out.dump(2));
}

void run_kernel(const KernelOptions& options) {
  if (options.text.empty()) {
    (options.json ? print_registry_json : print_registry)();
    return;
  }
  const InputNames inputs = parse_inputs(options.inputs);
  const Expression expression = parse_kernel_option(options.text, inputs);
  const Grammar grammar(make_search_space(options.space, inputs));
  const auto print = options.json ? print_kernel_json : print_kernel_text;
  print(expression, inputs, grammar, options.neighbours);
}

}  // namespace

void add_kernel(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "kernel", "Explain a kernel expression; without one, list base kernels and operators.");
  const auto options = std::make_shared<KernelOptions>();
  command->add_option("EXPR", options->text, "Kernel expression such as \"LIN + SE*PER\".");
  add_named(*command, "--inputs", options->inputs, "a number of inputs, or a list of names",
            "Number of inputs, or their names as a list. Default: 1.")
      ->type_name("N|LIST");
  add_settings(*command, options->space, search_space_settings());
  command->add_flag("--neighbours", options->neighbours,
                    "List all kernels that are one step of the grammar away.");
  command->add_flag("--json", options->json, "Print one JSON object.");
  command->callback([options] { run_kernel(*options); });
}

}  // namespace covary::app
