#include "expression/hashes.h"

#include <algorithm>

#include "base/hash.h"

namespace covary {
namespace {

constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;

std::uint64_t add_mod(std::uint64_t a, std::uint64_t b) {
  const std::uint64_t sum = a + b;  // below 2^62
  return sum >= prime ? sum - prime : sum;
}

std::uint64_t multiply_mod(std::uint64_t a, std::uint64_t b) {
  const __uint128_t product = static_cast<__uint128_t>(a) * b;
  const std::uint64_t low = static_cast<std::uint64_t>(product) & prime;
  return add_mod(low, static_cast<std::uint64_t>(product >> 61));
}

std::uint64_t hash_operator(const BoundOperator& op) {
  return combine64(hash64(op.op->name), op.column);
}

}  // namespace

std::uint64_t hash_leaf(const BoundKernel& kernel) {
  return combine64(hash64(kernel.kernel->name), kernel.column);
}

std::uint64_t hash_join(const BoundOperator& op, std::uint64_t left, std::uint64_t right) {
  if (op.op->is_commutative && left > right) std::swap(left, right);
  return combine64(combine64(hash_operator(op), left), right);
}

Expression::PolynomialHash polynomial_variable(std::uint64_t hash) {
  return {mix64(hash ^ 0x243f6a8885a308d3U) % prime, mix64(hash ^ 0x13198a2e03707344U) % prime};
}

Expression::PolynomialHash polynomial_join(const BoundOperator& op,
                                           const Expression::PolynomialHash& left,
                                           const Expression::PolynomialHash& right) {
  switch (op.op->algebra) {
    case Algebra::sum:
      return {add_mod(left.first, right.first), add_mod(left.second, right.second)};
    case Algebra::product:
      return {multiply_mod(left.first, right.first), multiply_mod(left.second, right.second)};
    case Algebra::none:
      break;
  }
  const auto side = [](const Expression::PolynomialHash& hash) {
    return combine64(hash.first, hash.second);
  };
  return polynomial_variable(hash_join(op, side(left), side(right)));
}

}  // namespace covary
