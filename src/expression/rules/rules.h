#pragma once

#include <vector>

#include "expression/normal_form.h"

namespace covary {

// An expression on its way to a sum of products: sums and products of any number of parts.
struct Sketch {
  enum class Kind { factor, sum, product, change };

  Kind kind = Kind::factor;
  Factor factor = {};  // of a factor; of a change point, whose parts are A and B: its operator
  std::vector<Sketch> parts = {};
};

// A rule looks at one node, rewrites it if its equation applies there, and says whether it did. The
// kernel stays the same function.
using RewriteRule = bool (*)(Sketch& node);

bool flatten(Sketch& node);
bool split_change_point(Sketch& node);
bool distribute_product(Sketch& node);
bool merge_like_factors(Sketch& node);
bool sort_factors(Sketch& node);

}  // namespace covary
