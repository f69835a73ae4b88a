#include "expression/normal_form.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "expression/rules/rules.h"

namespace covary {
namespace {

// In the order of docs/explain.md; applied until none of them changes anything.
constexpr RewriteRule rules[] = {flatten,         split_change_point, distribute_product,
                                 sort_factors,    merge_like_factors, whiten_factors,
                                 absorb_constants};

double num_products(const Expression& expression) {
  if (expression.is_leaf()) return 1.0;
  const double left = num_products(expression.left());
  const double right = num_products(expression.right());
  return expression.op().op->algebra == Algebra::product ? left * right : left + right;
}

// Kernels that do not use their input go with those that do: a product is of the inputs it uses.
void join_used_input(Product& product) {
  const auto used = std::find_if(product.begin(), product.end(),
                                 [](const Factor& factor) { return factor.uses_input(); });
  if (used == product.end()) return;
  for (Factor& factor : product) {
    if (!factor.uses_input()) factor.kernel.column = used->column();
  }
}

Product product_of(const Sketch& node) {
  if (node.kind == Sketch::Kind::factor) return {node.factor};
  Product product;
  for (const Sketch& part : node.parts) product.push_back(part.factor);
  join_used_input(product);
  return product;
}

// LIN*LIN*PER as LIN^2*PER.
std::string power_text(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size();) {
    std::size_t count = 1;
    while (i + count < names.size() && names[i + count] == names[i]) ++count;
    if (!text.empty()) text += '*';
    text += names[i];
    if (count > 1) text += fmt::format("^{}", count);
    i += count;
  }
  return text;
}

void collect_summands(const Expression& expression, std::size_t first_parameter,
                      std::vector<Summand>& found) {
  if (expression.is_leaf() || expression.op().op->algebra != Algebra::sum) {
    found.push_back({expression, first_parameter, num_products(expression)});
    return;
  }
  collect_summands(expression.left(), first_parameter, found);
  collect_summands(expression.right(), first_parameter + expression.left().num_parameters(), found);
}

// The products of the sum of these.
std::vector<Product> products_of(const std::vector<Summand>& summands,
                                 std::span<const double> parameters) {
  if (summands.empty()) return {};
  Sketch root;
  root.kind = Sketch::Kind::sum;
  std::size_t num_inputs = 1;
  for (const Summand& summand : summands) {
    std::size_t next = summand.first_parameter;
    root.parts.push_back(sketch_of(summand.expression, parameters, next));
    num_inputs = std::max(num_inputs, summand.expression.num_inputs_needed() + 1);
  }
  if (summands.size() == 1) root = Sketch(std::move(root.parts.front()));
  apply_until_done(rules, root);
  std::vector<Product> products;
  if (root.kind == Sketch::Kind::sum) {
    for (const Sketch& part : root.parts) products.push_back(product_of(part));
  } else {
    products.push_back(product_of(root));
  }
  const InputNames numbers = InputNames::unnamed(num_inputs);
  std::stable_sort(products.begin(), products.end(), [&](const Product& a, const Product& b) {
    if (a.size() != b.size()) return a.size() < b.size();
    return to_string(a, numbers) < to_string(b, numbers);
  });
  return products;
}

}  // namespace

bool is_noise(const Product& product) {
  return std::any_of(product.begin(), product.end(), [](const Factor& factor) {
    return factor.is_base_kernel() && factor.kernel.kernel->is_white;
  });
}

std::vector<Product> sum_of_products(const Expression& expression,
                                     std::span<const double> parameters) {
  const double count = num_products(expression);
  if (count > static_cast<double>(max_products)) {
    throw Error(ErrorKind::usage,
                fmt::format("the kernel expands to more than {} products", max_products));
  }
  return products_of({{expression, 0, count}}, parameters);
}

NormalForm normal_form(const Expression& expression, std::span<const double> parameters) {
  std::vector<Summand> summands;
  collect_summands(expression, 0, summands);
  std::vector<std::size_t> order(summands.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return summands[a].num_products < summands[b].num_products;
  });
  auto num_parts = static_cast<double>(summands.size());
  std::vector<bool> is_expanded(summands.size(), false);
  for (const std::size_t i : order) {
    num_parts += summands[i].num_products - 1.0;
    if (num_parts > static_cast<double>(max_products)) break;
    is_expanded[i] = true;
  }
  std::vector<Summand> expanded;
  NormalForm form;
  for (std::size_t i = 0; i < summands.size(); ++i) {
    (is_expanded[i] ? expanded : form.unexpanded).push_back(summands[i]);
  }
  form.products = products_of(expanded, parameters);
  return form;
}

std::string to_string(const Product& product, const InputNames& inputs) {
  std::vector<std::string> names;
  std::vector<const Factor*> sides;  // the outermost first
  for (const Factor& factor : product) {
    if (factor.is_base_kernel()) {
      names.push_back(to_string(factor.kernel, inputs));
    } else {
      sides.push_back(&factor);
    }
  }
  std::string text = power_text(names);
  // From the innermost side outwards; names of inputs as in the text of an expression.
  for (; !sides.empty(); sides.pop_back()) {
    const Factor& factor = *sides.back();
    const std::string change = to_string(factor.change, inputs);
    const std::size_t bracket = std::min(change.find('('), change.size());
    const std::string name = change.substr(bracket);
    const std::string input = name.empty() ? "" : ", " + name.substr(1, name.size() - 2);
    const bool is_before = factor.side == Factor::Side::before;
    text = fmt::format("{}({}, {}{})", change.substr(0, bracket), is_before ? text : "0",
                       is_before ? "0" : text, input);
  }
  return text;
}

std::string to_string(const std::vector<Product>& products, const InputNames& inputs) {
  std::vector<std::pair<std::string, std::size_t>> counted;
  for (const Product& product : products) {
    const std::string text = to_string(product, inputs);
    const auto at = std::find_if(counted.begin(), counted.end(),
                                 [&](const auto& entry) { return entry.first == text; });
    if (at == counted.end()) {
      counted.emplace_back(text, 1);
    } else {
      ++at->second;
    }
  }
  std::string text;
  for (const auto& [product, count] : counted) {
    if (!text.empty()) text += " + ";
    text += count > 1 ? fmt::format("{}*{}", count, product) : product;
  }
  return text;
}

std::string to_string(const NormalForm& form, const InputNames& inputs) {
  std::string text = to_string(form.products, inputs);
  for (const Summand& summand : form.unexpanded) {
    if (!text.empty()) text += " + ";
    text += to_string(summand.expression, inputs);
  }
  return text;
}

}  // namespace covary
