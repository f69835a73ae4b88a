#pragma once

#include <covary/covary.h>

namespace covary {

// Grown from a random base kernel by random neighbours until it has 1 to 8 leaves, each as likely.
inline Expression random_kernel(const Grammar& grammar, Random& random) {
  Expression kernel = grammar.start_kernels()[random.index(grammar.start_kernels().size())];
  const std::size_t num_leaves = 1 + random.index(8);
  while (kernel.num_leaves() < num_leaves) kernel = *grammar.random_neighbour(kernel, random);
  return kernel;
}

}  // namespace covary
