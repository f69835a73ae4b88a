// ADD:  (A + B)(x, x') = A(x, x') + B(x, x').   The sum of two independent functions.
#include "kernels/numerics.h"
#include "kernels/registry.h"

namespace covary::registry {
namespace {

struct Add {
  static constexpr std::size_t num_features = 0;
  static constexpr std::size_t num_parameters = 0;
  static constexpr auto prepare = prepare_nothing;

  COVARY_LANE static double value(const Lane& /*a*/, const Lane& /*b*/, double left, double right) {
    return left + right;
  }
  COVARY_LANE static OperatorSlopes slopes(const Lane& /*a*/, const Lane& /*b*/, double /*left*/,
                                           double /*right*/) {
    return {1.0, 1.0, {}};
  }
};

}  // namespace

constexpr Operator add = {
    .name = "ADD",
    .symbol = "+",
    .is_infix = true,
    .title = "sum",
    .formula = "A(x, x') + B(x, x')",
    .parameters = {},
    .numerics = &operator_numerics<Add>,
    .is_commutative = true,
    .is_associative = true,
    .algebra = Algebra::sum,
    .acts_on_input = false,
    .words = "plus",
    .is_offered = [](const InputTraits& /*input*/) { return true; },
};

}  // namespace covary::registry
