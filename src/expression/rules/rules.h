#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "expression/normal_form.h"

namespace covary {

// An expression on its way to a sum of products: sums and products of any number of parts.
struct Sketch {
  enum class Kind { factor, sum, product, change };

  Kind kind = Kind::factor;
  // Of a factor; of a change point (or another operator without algebra), whose parts are A and B:
  // its operator.
  Factor factor = {};
  std::vector<Sketch> parts = {};

  bool is_base_kernel() const { return kind == Kind::factor && factor.is_base_kernel(); }
  const BaseKernel& kernel() const { return *factor.kernel.kernel; }  // REQUIRES: is_base_kernel()
  bool is_constant() const { return is_base_kernel() && covary::is_constant(kernel()); }
  bool is_white() const { return is_base_kernel() && kernel().is_white; }
};

// `next`: where its parameters begin; moves on behind them.
Sketch sketch_of(const Expression& expression, std::span<const double> parameters,
                 std::size_t& next);

// A rule looks at one node, rewrites it if its equation applies there, and says whether it did. The
// kernel stays the same function.
using RewriteRule = bool (*)(Sketch& node);

// Again and again all over the tree, until none of them changes anything.
void apply_until_done(std::span<const RewriteRule> rules, Sketch& root);

// A factor that was made of two is known by the origins of both.
void add_origins(Factor& kept, const Factor& other);

bool flatten(Sketch& node);
bool split_change_point(Sketch& node);
bool distribute_product(Sketch& node);
bool merge_like_factors(Sketch& node);
bool sort_factors(Sketch& node);
bool whiten_factors(Sketch& node);
bool absorb_constants(Sketch& node);
bool add_like_summands(Sketch& node);
bool absorb_constant_summands(Sketch& node);

}  // namespace covary
