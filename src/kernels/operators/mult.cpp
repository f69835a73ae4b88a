// MULT:  (A × B)(x, x') = A(x, x') B(x, x').
#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

struct Mult {
  static constexpr std::size_t num_features = 0;
  static constexpr std::size_t num_parameters = 0;
  static constexpr auto prepare = prepare_nothing;

  COVARY_LANE static double value(const Lane& /*a*/, const Lane& /*b*/, double left, double right) {
    return left * right;
  }
  COVARY_LANE static OperatorSlopes slopes(const Lane& /*a*/, const Lane& /*b*/, double left,
                                           double right) {
    return {right, left, {}};
  }
};

}  // namespace

constexpr Operator mult = {
    .name = "MULT",
    .symbol = "*",
    .is_infix = true,
    .title = "product",
    .formula = "A(x, x') B(x, x')",
    .parameters = {},
    .numerics = &operator_numerics<Mult>,
    .is_commutative = true,
    .is_associative = true,
    .algebra = Algebra::product,
    .acts_on_input = false,
    .words = "modulated by",
    .is_offered = [](const InputTraits& /*input*/) { return true; },
};

}  // namespace covary::registry
