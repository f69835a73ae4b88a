#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <covary/expression.h>

namespace covary {

// What a product is made of: a base kernel, or one side of a change point, which as a kernel is
// w(x) w(x') with w = 1 − s before the change and w = s after it.
struct Factor {
  enum class Side { none, before, after };

  BoundKernel kernel = {};  // of a base kernel
  Side side = Side::none;   // of a change point's side, with the operator in `change`
  BoundOperator change = {};
  std::vector<double> parameters;  // natural values, in the order of the kernel or operator

  // Where its parameters begin among those of the expression it comes from; several for a merged
  // factor. Copies of one factor have the same origins: they share one set of parameters.
  std::vector<std::size_t> origins;

  bool is_base_kernel() const { return side == Side::none; }
  std::size_t column() const { return is_base_kernel() ? kernel.column : change.column; }
  bool uses_input() const { return !is_base_kernel() || kernel.kernel->uses_input; }
};

// One product of the normal form, an additive component of the model. Sorted; at least one factor
// is a base kernel.
using Product = std::vector<Factor>;

bool is_noise(const Product& product);  // a factor is white, and with it the whole

// The kernel as a sum of products, exactly the same function, with its parameter values carried
// along. Sums and products are flattened, × is distributed over + and over both sides of a change
// point, SE×SE on one input is one SE, as for all base kernels that merge, and constants are left
// to the other factors (rules/). Sorted: short products first, then by text. Throws Error if there
// would be more than max_products of them.
inline constexpr std::size_t max_products = 200;
std::vector<Product> sum_of_products(const Expression& expression,
                                     std::span<const double> parameters);

// A summand of the kernel's topmost sums.
struct Summand {
  Expression expression;
  std::size_t first_parameter = 0;  // among those of the kernel
  double num_products = 1.0;        // that it expands to
};

// The same for any kernel: summands are expanded, those of fewest products first, as long as all of
// them together make no more than max_products parts; the rest stay as they are.
struct NormalForm {
  std::vector<Product> products;
  std::vector<Summand> unexpanded;  // in the order of the kernel
};
NormalForm normal_form(const Expression& expression, std::span<const double> parameters);

// "SE + 2*LIN^2*PER": like products are counted. A side of a change point is CP(SE, 0) or
// CP(0, SE).
std::string to_string(const Product& product, const InputNames& inputs);
std::string to_string(const std::vector<Product>& products, const InputNames& inputs);
std::string to_string(const NormalForm& form, const InputNames& inputs);  // "SE + (LIN + PER)*…"

}  // namespace covary
