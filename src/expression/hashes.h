#pragma once

#include <cstdint>

#include <covary/expression.h>

namespace covary {

// Hashes of the two samenesses, built bottom up at construction. They depend on names and columns
// only, so they are the same in every process.
std::uint64_t hash_leaf(const BoundKernel& kernel);
std::uint64_t hash_join(const BoundOperator& op, std::uint64_t left, std::uint64_t right);

// The polynomial's value at two pseudo-random points of the field of integers modulo 2^61 - 1, a
// variable's coordinate being drawn from its hash. Two different polynomials of degree k agree at a
// random point with probability of at most k / 2^61 (Schwartz-Zippel).
Expression::PolynomialHash polynomial_variable(std::uint64_t hash);
Expression::PolynomialHash polynomial_join(const BoundOperator& op,
                                           const Expression::PolynomialHash& left,
                                           const Expression::PolynomialHash& right);

}  // namespace covary
