#pragma once

#include <covary/expression.h>

namespace covary {

// How far apart two kernels are as symbols (paper, section 3 and equations 2 and 3): the cost of
// carrying one's distribution of features over to the other's, for base kernels, for the paths to
// them, and for subtrees. Base kernels are compared input by input and the inputs' distances added;
// an input that neither kernel uses adds nothing, so the number of inputs need not be known. Each
// part is a pseudo-metric; paths and subtrees are at most 1, base at most the number of inputs
// used.
struct TransportDistances {
  double base;
  double paths;
  double subtrees;
};

// Exact fractions, rounded once (base: once an input).
TransportDistances transport_distances(const Expression& a, const Expression& b);

}  // namespace covary
